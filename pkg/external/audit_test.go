package external

import (
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAudit: an attack sees what a program releases, and excludes a claim that is false: the sums
// without noise of a learner that says that it is private. A false alarm is no question here: the
// two worlds never release the same.
func TestAudit(t *testing.T) {
	mark := marks(t)
	var worlds [2]audit.Stream
	for w := range worlds {
		for round := range 2 {
			x := slices.Repeat([]float64{1, 0, 0}, 5)
			y := slices.Repeat([]float64{0.5}, 5)
			if round == 0 {
				y = slices.Repeat([]float64{float64(w)}, 5)
			}
			worlds[w] = append(worlds[w], audit.Round{X: x, Rewards: y})
		}
	}
	f, err := audit.Learner{
		Name: "external", Of: self("serve", "linucb", "release", `claim={"epsilon":0.5,"model":"joint"}`), Problem: small,
		Worlds: worlds, Transcript: audit.Releases(small), NoActions: true,
	}.Run(t.Context(), audit.Options{Runs: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.Claim != (privacy.Budget{Epsilon: 0.5}) || f.Epsilon < 2 {
		t.Errorf("an epsilon of %v is excluded of a claim of %v, want at least 2, of 0.5", f.Epsilon, f.Claim)
	}
	if n := len(marked(mark)); n > 2*16 {
		t.Errorf("%d processes are left", n)
	}
}
