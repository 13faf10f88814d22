package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// The scorecard is a page with a part for each paper.
func TestScores(t *testing.T) {
	p, err := scores()
	if err != nil {
		t.Fatal(err)
	}
	if p.Path != "scorecard.html" || len(p.Entries) != 5 {
		t.Errorf("%s has %d parts, want scorecard.html with 5", p.Path, len(p.Entries))
	}
	for _, e := range p.Entries {
		if !strings.Contains(p.Body, `<h2 id="`+e.Anchor+`">`) {
			t.Errorf("no part %s", e.Anchor)
		}
	}
}

// A package in a module of its own becomes a page with its comment, declarations and example.
func TestPackages(t *testing.T) {
	root := t.TempDir()
	files := fstest.MapFS{
		"pkg/coin/coin.go": {Data: []byte(`// Package coin tosses. See [Coin.Toss] and [Coin.Bias].
package coin

// Sides are what may come up.
const Heads, Tails = 0, 1

// Coin is a coin.
type Coin struct {
	Bias float64 // of heads
	secret int
}

// Toss tosses.
func (c *Coin) Toss() int { return c.hidden() }

func (c *Coin) hidden() int { return 0 }
`)},
		"pkg/coin/coin_test.go": {Data: []byte(`package coin

import "fmt"

// A toss.
func ExampleCoin_Toss() {
	c := Coin{Bias: 1}
	fmt.Println(c.Toss()) // heads
	// Output:
	// 0
}
`)},
		"pkg/internal/hidden/x.go": {Data: []byte("package hidden\n")},
		"datasets/fetch/x.go":      {Data: []byte("package main\n")},
		"charts/testonly_test.go":  {Data: []byte("package testonly\n")},
	}
	if err := os.CopyFS(root, files); err != nil {
		t.Fatal(err)
	}
	pages, err := packages(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 1 || pages[0].Path != "api/pkg-coin.html" || pages[0].Title != "package coin" || !strings.HasPrefix(pages[0].Summary, "Package coin tosses.") {
		t.Fatalf("pages %+v", pages)
	}
	for _, want := range []string{
		`<a href="#Coin.Toss">Coin.Toss</a>`, `<h2 id="Coin">type Coin</h2>`, `<span id="Coin.Bias"></span>`, `<h3 id="Coin.Toss">func (*Coin) Toss</h3>`,
		"func (c *Coin) Toss() int</code>", `<h2 id="Heads">Heads, Tails</h2>`, `<span id="Tails"></span>`, "fmt.Println(c.Toss()) // heads</code>", "<pre><code>0\n</code></pre>", "A toss.",
	} {
		if !strings.Contains(pages[0].Body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, no := range []string{"hidden", "secret", "return", "Output:\n"} {
		if strings.Contains(pages[0].Body, no) {
			t.Errorf("the page has %q", no)
		}
	}
	var names []string
	for _, e := range pages[0].Entries {
		names = append(names, e.Name+" "+e.Anchor)
	}
	if got, want := strings.Join(names, ", "), "coin.Heads Heads, coin.Tails Heads, coin.Coin Coin, coin.Coin.Toss Coin.Toss"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
}
