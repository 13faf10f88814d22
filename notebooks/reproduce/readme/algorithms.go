package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

//go:generate go run . algorithms.csv ../../../README.md

// algorithm is a row of the README's table.
type algorithm struct {
	name, paper, link string
	model             string
	// Who has audited it: a row of the leaderboard (notebooks/survey), whose attacks know the learner,
	// or else a subject of the audit suite.
	contestant, subject string
	notebook            string
}

const (
	shariff  = "Shariff and Sheffet 2018"
	azize    = "Azize et al. 2025"
	chandak  = "Chandak et al. 2023"
	joint    = "joint"
	central  = "central"
	local    = "local"
	shuffle  = "shuffle"
	arxiv    = "https://arxiv.org/abs/"
	matroids = "https://proceedings.mlr.press/v232/chandak23a.html"
)

// algorithms lists what the README shows; what else there is are variants and mechanisms.
var algorithms = []algorithm{
	{"LinUCB over a tree", shariff, arxiv + "1810.00068", joint, "JDP LinUCB, tree", "", "03-jdp-linucb"},
	{"the same, noise as printed", shariff, arxiv + "1810.00068", joint, "", "LinUCB over Gaussian tree as published: releases, by likelihood", "03-jdp-linucb"},
	{"LinUCB over correlated noise (BLT)", "McMahan et al. 2024", arxiv + "2408.08868", joint, "JDP LinUCB, BLT", "", "03-jdp-linucb"},
	{"LinUCB over sums of any length", "Jacobsen and Fawaz 2025", arxiv + "2506.15018", joint, "JDP LinUCB, Unbounded", "", "03-jdp-linucb"},
	{"logistic UCB", "Zhang et al. 2016", arxiv + "1509.07728", joint, "JDP logistic UCB, BLT", "", "03-jdp-linucb"},
	{"UCB on random features", "Rahimi and Recht 2007", "https://papers.nips.cc/paper/3182-random-features-for-large-scale-kernel-machines", joint, "JDP kernel UCB, BLT", "", "03-jdp-linucb"},
	{"core sets", "Hanna et al. 2022", arxiv + "2207.03445", joint, "core set", "", "05-dp-online-algorithms"},
	{"FLIPHAT", "Chakraborty et al. 2024", arxiv + "2405.14038", joint, "", "hard thresholding", "04-private-lasso"},
	{"thresholded LASSO, mended", "Shukla 2024", arxiv + "2402.03737", joint, "", "thresholded LASSO, mended", "04-private-lasso"},
	{"LDP LinUCB", "Zheng et al. 2020", arxiv + "2006.00701", local, "LDP LinUCB", "", "01-ldp-linucb"},
	{"OnlineUCB", "submission to TMLR", "", local, "", "OnlineUCB: messages", "01-ldp-linucb"},
	{"weighted regression", "Chen et al. 2025", arxiv + "2502.13115", local, "", "weighted regression: messages", "01-ldp-linucb"},
	{"KL-UCB of bits", "Ren et al. 2020", arxiv + "2007.03121", local, "KL-UCB of bits", "", "05-dp-online-algorithms"},
	{"shuffle LinUCB", "Chowdhury and Zhou 2022", arxiv + "2202.05567", shuffle, "", "shuffle LinUCB, vector sums: sums", "01-ldp-linucb"},
	{"DPUCB-MAT", chandak, matroids, central, "DPUCB-MAT", "", "02-matroid-bandits"},
	{"DPTS-MAT", chandak, matroids, central, "DPTS-MAT", "", "02-matroid-bandits"},
	{"CascadeUCB1", "Kveton et al. 2015", arxiv + "1502.02763", central, "", "clicks of a cascade, Laplace", "02-matroid-bandits"},
	{"successive elimination", "Sajed and Sheffet 2019", arxiv + "1905.09383", central, "DP-SE", "", "05-dp-online-algorithms"},
	{"DP-UCB", "Tossou and Dimitrakakis 2016", arxiv + "1511.08681", central, "DP-UCB", "", "05-dp-online-algorithms"},
	{"AdaP-UCB", "Azize and Basu 2022", arxiv + "2209.02570", central, "AdaP-UCB", "", "05-dp-online-algorithms"},
	{"DP-KLUCB", azize, arxiv + "2505.05613", central, "DP-KLUCB", "", "05-dp-online-algorithms"},
	{"DP-IMED", azize, arxiv + "2505.05613", central, "DP-IMED", "", "05-dp-online-algorithms"},
	{"DP-TS-UCB", "Hu et al. 2025", arxiv + "2505.02383", central, "DP-TS-UCB", "", "05-dp-online-algorithms"},
	{"HTINF over batches", "Asi, Raman, Talwar 2025", arxiv + "2505.21790", central, "", "DP-HTINF: releases", "05-dp-online-algorithms"},
	{"DP-FTRL", "Agarwal and Singh 2017", arxiv + "1701.07953", central, "", "DP-FTRL", "05-dp-online-algorithms"},
}

// subjects lists those of the suite.
func subjects() (names []string) {
	for _, a := range algorithms {
		if a.contestant == "" {
			names = append(names, a.subject)
		}
	}
	return names
}

// audited is what an audit found of an algorithm.
type audited struct {
	delta, proved, audited float64
	runs                   int
}

// items returns the suite's audits of the algorithms that the leaderboard does not have, in their
// order.
func items(e suite.Effort) ([]audit.Item, error) {
	byName := map[string]audit.Item{}
	for _, item := range e.Items() {
		about, err := item.About()
		if err != nil {
			return nil, err
		}
		byName[about.Name] = item
	}
	var chosen []audit.Item
	for _, subject := range subjects() {
		item := byName[subject]
		if item == nil {
			return nil, fmt.Errorf("the audit suite has no %q", subject)
		}
		chosen = append(chosen, item)
	}
	return chosen, nil
}

// audits attacks subjects, each at the suite's confidence.
func audits(ctx context.Context, chosen []audit.Item) ([]audited, error) {
	report, err := audit.Each(ctx, chosen, suite.Options)
	if err != nil {
		return nil, err
	}
	found := make([]audited, len(chosen))
	for i, f := range report.Findings {
		found[i] = audited{f.Claim.Delta, f.Claim.Epsilon, f.Epsilon, f.Runs}
	}
	return found, nil
}

var header = []string{"subject", "delta", "proved", "audited", "runs"}

func writeCSV(found []audited) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(header)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for i, f := range found {
		w.Write([]string{subjects()[i], number(f.delta), number(f.proved), number(f.audited), strconv.Itoa(f.runs)})
	}
	w.Flush()
	return b.Bytes()
}

//go:embed algorithms.csv
var committed []byte

func readCSV(data []byte) ([]audited, error) {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	names := subjects()
	if len(lines) != 1+len(names) {
		return nil, fmt.Errorf("algorithms.csv has %d lines, want %d: run go generate", len(lines), 1+len(names))
	}
	found := make([]audited, len(names))
	for i, line := range lines[1:] {
		if line[0] != names[i] {
			return nil, fmt.Errorf("algorithms.csv, line %d is of %q, want %q: run go generate", i+2, line[0], names[i])
		}
		f := &found[i]
		if _, err := fmt.Sscan(strings.Join(line[1:], " "), &f.delta, &f.proved, &f.audited, &f.runs); err != nil {
			return nil, fmt.Errorf("algorithms.csv, line %d: %w", i+2, err)
		}
	}
	return found, nil
}

// all adds the leaderboard's findings to the suite's: one for each algorithm.
func all(found []audited) (whole []audited, err error) {
	rows, err := survey.Committed()
	if err != nil {
		return nil, err
	}
	for _, a := range algorithms {
		if a.contestant == "" {
			whole, found = append(whole, found[0]), found[1:]
			continue
		}
		at := slices.IndexFunc(rows, func(r survey.Row) bool { return r.Learner == a.contestant && r.Asked == suite.Budget.Epsilon })
		if at < 0 {
			return nil, fmt.Errorf("the leaderboard has no %q at epsilon = %g", a.contestant, suite.Budget.Epsilon)
		}
		delta, err := deltaOf(a.contestant)
		if err != nil {
			return nil, err
		}
		whole = append(whole, audited{delta: delta, proved: rows[at].Proved, audited: rows[at].Audited})
	}
	return whole, nil
}

// deltaOf returns the delta that a learner of the catalogue claims, in the first world it plays.
func deltaOf(name string) (float64, error) {
	e, err := catalogue.Learner{Name: name}.Entry()
	if err != nil {
		return 0, err
	}
	budget := privacy.Budget{Epsilon: suite.Budget.Epsilon, Delta: survey.Delta}
	for _, w := range catalogue.Worlds() {
		var world bandit.World
		if world, err = bandit.OpenWorld(w.Environment); err != nil {
			return 0, err
		}
		var claim privacy.Claim
		if _, claim, err = e.Enter(world.Problem(), budget, 1000); err == nil {
			return claim.Asked().Delta, nil
		}
	}
	return 0, err
}

const begin, end = "<!-- algorithms: go generate ./notebooks/reproduce/readme -->\n", "<!-- end of algorithms -->\n"

// table lays the algorithms out in Markdown, with what the suite found.
func table(found []audited) (string, error) {
	whole, err := all(found)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| algorithm | paper | trust model | δ | ε asked | proved | audited | notebook |\n|---|---|---|--:|--:|--:|--:|---|\n")
	// audits are rounded down, and claims up, so that neither says more than it may
	up := func(x float64) string { return trim(math.Ceil(1000*x-1e-6) / 1000) }
	down := func(x float64) string { return trim(math.Floor(100*x) / 100) }
	for i, a := range algorithms {
		paper, excluded := a.paper, down(whole[i].audited)
		if a.link != "" {
			paper = "[" + paper + "](" + a.link + ")"
		}
		if whole[i].audited < 0.01 {
			excluded = "–"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %g | %s | %s | [%s](notebooks/%s.ipynb) |\n", a.name, paper, a.model, power(whole[i].delta), suite.Budget.Epsilon,
			up(whole[i].proved), excluded, a.notebook[:2], a.notebook)
	}
	return b.String(), nil
}

// power writes a delta, and 1e-05 as a power of ten.
func power(x float64) string {
	if exponent, ok := strings.CutPrefix(trim(x), "1e-0"); ok {
		return "10⁻" + string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[exponent[0]-'0'])
	}
	return trim(x)
}

func trim(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// withTable returns the README with the table in its place.
func withTable(readme, table string) (string, error) {
	head, rest, ok := strings.Cut(readme, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("README.md has no place for the algorithms: %q and then %q", begin, end)
	}
	return head + begin + table + end + tail, nil
}

// writeAlgorithms audits the algorithms, and writes what it found and the README's table.
func writeAlgorithms(file, readme string) error {
	chosen, err := items(suite.Usual)
	if err != nil {
		return err
	}
	found, err := audits(context.Background(), chosen)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, writeCSV(found), 0o644); err != nil {
		return err
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	lines, err := table(found)
	if err != nil {
		return err
	}
	whole, err := withTable(string(text), lines)
	if err != nil {
		return err
	}
	return os.WriteFile(readme, []byte(whole), 0o644)
}
