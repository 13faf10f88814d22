package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestJudge: a card of one learner as text, and one of each learner of the catalogue as JSON, all
// with the sections that are asked for.
func TestJudge(t *testing.T) {
	text, _, status := on("judge", "-learner", "DP-UCB", "-worlds", "two", "-only", "costs")
	if status != 0 || !strings.HasPrefix(text, "DP-UCB\nsmoke scale") || !strings.Contains(text, "\ncosts ") || strings.Contains(text, "\nregret ") {
		t.Errorf("status %d, card %s", status, text)
	}
	out, complaints, status := on("judge", "-learner", "all", "-json", "-only", "inside")
	if status != 0 {
		t.Fatalf("status %d, complains %s", status, complaints)
	}
	var names, want []string
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var c judge.Card
		if err := d.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, c.Learner)
	}
	for _, e := range catalogue.All() {
		want = append(want, e.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("cards of %q, want %q", names, want)
	}
}

// TestJudgeStatus: a claim that is excluded, and a check that is not kept, are a failure, after the
// card.
func TestJudgeStatus(t *testing.T) {
	card, complaints, status := on("judge", "-only", "checks", "-worlds", "two", "-name", "mute", "--",
		"sh", "-c", `read l && echo '{"protocol":1,"name":"mute"}' && read l`)
	if status != 1 || !strings.Contains(card, "NOT KEPT") || !strings.Contains(complaints, "mute: ") || !strings.Contains(complaints, "not kept") {
		t.Errorf("a program that ends at once: status %d, complains %q, card %s", status, complaints, card)
	}
	_, complaints, status = on("judge", "-worlds", "two", "--", "sh", "-c", `echo "No module named 'dpbandits_external'" >&2; exit 1`)
	if status != 1 || !strings.Contains(complaints, "PYTHONPATH=") {
		t.Errorf("without our module: status %d, complains %q, want how to find it", status, complaints)
	}
	for want, c := range map[string]judge.Card{
		"the claim is false":         {Attacks: []judge.Attack{{Failed: "no stream"}, {False: true}}, Checks: []judge.Check{{}}},
		"1 of 2 checks are not kept": {Attacks: []judge.Attack{{}}, Checks: []judge.Check{{}, {Failures: []string{"it counts"}}}},
		"<nil>":                      {Attacks: []judge.Attack{{Failed: "no stream"}}, Checks: []judge.Check{{}}},
	} {
		if got := fmt.Sprint(fault(&c)); got != want {
			t.Errorf("of %+v: %s, want %s", c, got, want)
		}
	}
}

// TestJudgeStopped: a card that is stopped says how it would go on.
func TestJudgeStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for want, j := range map[string]*judged{
		"with -keep, it goes on where it was":              {learner: "DP-UCB"},
		"with -keep and -version, it goes on where it was": {},
	} {
		of := []subject{{catalogue.Learner{Name: "DP-UCB", Budget: privacy.Budget{Epsilon: 1}}, judge.Options{Only: []string{"races"}}}}
		if err := j.play(ctx, of, console{io.Discard, io.Discard}); err == nil || err.Error() != want {
			t.Errorf("stopped: %v, want %s", err, want)
		}
	}
}

// TestJudgeMisused: what cannot be judged is said before anything is played.
func TestJudgeMisused(t *testing.T) {
	for want, arguments := range map[string][]string{
		"-only cost, want":   {"-learner", "DP-UCB", "-only", "races,cost"},
		"-worlds":            {"-learner", "DP-UCB", "-worlds", "three"},
		"no learner":         {},
		"-html with":         {"-learner", "all", "-html", "card.html"},
		"-epsilon 0":         {"-learner", "DP-UCB", "-epsilon", "0"},
		"and the program":    {"-learner", "DP-UCB", "--", "mine"},
		"-delta with a prog": {"-delta", "0.1", "--", "mine"},
	} {
		if _, complaints, status := on(append([]string{"judge"}, arguments...)...); status != 2 || !strings.Contains(complaints, want) {
			t.Errorf("judge %q: status %d, complains %q, want %q", arguments, status, complaints, want)
		}
	}
}
