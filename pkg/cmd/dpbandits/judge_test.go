package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/judge"
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
	for _, e := range catalogue.Learners() {
		want = append(want, e.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("cards of %q, want %q", names, want)
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
