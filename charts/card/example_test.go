package card_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/charts/card"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// The figures and tables of a card; in a notebook, charts.Show(card.Items(c)...).
func ExampleItems() {
	worlds, err := catalogue.Named("two")
	if err != nil {
		log.Fatal(err)
	}
	c, err := judge.Learner(context.Background(), arms.IMED{}.Private(1, 2), judge.Options{Worlds: worlds, Rivals: catalogue.Learners()[:5]})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range card.Items(c) {
		switch item := item.(type) {
		case *charts.Figure:
			fmt.Println("figure:", item.Title)
		case *charts.Table:
			fmt.Println("table:", strings.Join(item.Headers, ", "))
		}
	}
	// Output:
	// table: , arms.IMED over tally.Batches
	// figure: What the closest attack sees
	// figure: Regret beside the best rivals
	// table: world, learner, model, ε proved, regret, ±, this learner minus it, ±
	// figure: What the learner chooses by
	// table: attack, claimed ε, excluded ε, visible ε, runs, the claim is
	// table: checked, by, result
}
