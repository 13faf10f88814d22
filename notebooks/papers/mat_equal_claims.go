package papers

import (
	"fmt"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var matEqualClaims = []Claim{
	{"equal privacy, matroids", "at ε = 2 on Table 2 KL-OSM over blocks that remember, with boost × 0.1, has a tenth of DPUCB-MAT's regret, which has about half that of CUCB over trees, at the same privacy; most of that is the width's doing: without memory width × 0.2 has a fifth at most, with memory and the proved boost KL-OSM has half at most; OMM with width × 0.1 fails there and is ahead of × 0.25 on the movies, where KL-OSM under Gaussian noise at δ = 10⁻⁶ has less than a quarter of DPUCB-MAT's", claimMATEqual},
}

// atMost checks that a policy's regret at the last round is no more than a share of another's.
func atMost(t *simulate.Table, policy string, share float64, other string) (evidence string, err error) {
	ours, err := t.Curve(policy)
	if err != nil {
		return "", err
	}
	theirs, err := t.Curve(other)
	if err != nil {
		return "", err
	}
	_, x, xse := last(ours)
	_, y, yse := last(theirs)
	if !(x <= share*y) {
		err = fmt.Errorf("%s: regret %.0f ± %.0f of %q, %.0f ± %.0f of %q, want a share of %.3g at most", t.Provenance.Experiment, x, xse, policy, y, yse, other, share)
	}
	return fmt.Sprintf("%.0f ± %.0f and %.0f ± %.0f", x, xse, y, yse), err
}

func claimMATEqual(s Scale) (string, error) {
	var tables []*simulate.Table
	for i, e := range experimentsMATEqual(Paper) {
		t, err := results.Table(e.Name)
		if err != nil {
			return "", err
		}
		epsilon := float64(MATEpsilon)
		if i < len(MATEqualEpsilons) {
			epsilon = MATEqualEpsilons[i]
		}
		if err := equallyPrivate(t, epsilon); err != nil {
			return "", err
		}
		tables = append(tables, t)
	}
	two, half, movies := tables[0], tables[1], tables[2]
	if err := check("paper scale, Table 2, ε = 2", tables[:1], compare{EqualDPTS, EqualDPUCB, 1}, compare{EqualDPUCBAll, EqualDPUCB, 1}, compare{EqualTreeGauss, EqualTree, 1},
		compare{EqualQuarter, EqualTenth, 1}, compare{EqualKLTuned, EqualQuarter, 1}, compare{EqualFifth, EqualKLProved, 1}, compare{EqualKLTuned, EqualCTSTuned, 1}, compare{EqualKL, EqualKLTuned, 1}); err != nil {
		return "", err
	}
	if err := check("paper scale, movies", tables[2:], compare{EqualDPTS, EqualDPUCB, 1}, compare{EqualDPUCBAll, EqualDPUCB, 1}, compare{EqualTenth, EqualQuarter, 1}, compare{EqualKLTunedGauss, EqualKLTuned, 1}); err != nil {
		return "", err
	}
	trials := pick(s, 20, 20, 50)
	now, err := brieflyEqual(trials, EqualDPUCB, EqualKLTuned)
	if err != nil {
		return "", err
	}
	var evidence []string
	for _, c := range []struct {
		where         string
		t             *simulate.Table
		policy, other string
		share         float64
	}{
		{"Table 2, ε = 2: KL-OSM and DPUCB-MAT", two, EqualKLTuned, EqualDPUCB, 1.0 / 10},
		{"DPUCB-MAT that forgets, width × 0.2, and DPUCB-MAT", two, EqualFifth, EqualDPUCB, 1.0 / 5},
		{"KL-OSM that remembers, and DPUCB-MAT", two, EqualKLProved, EqualDPUCB, 1.0 / 2},
		{"DPUCB-MAT and CUCB over trees", two, EqualDPUCB, EqualTree, 0.55},
		{"ε = 0.5: KL-OSM and DPUCB-MAT", half, EqualKLTuned, EqualDPUCB, 1.0 / 5},
		{"movies: KL-OSM, Gaussian, and DPUCB-MAT", movies, EqualKLTunedGauss, EqualDPUCB, 1.0 / 4},
		{fmt.Sprintf("%d trials now on Table 2, ε = 2: KL-OSM and DPUCB-MAT", trials), now, EqualKLTuned, EqualDPUCB, 1.0 / 7},
	} {
		numbers, err := atMost(c.t, c.policy, c.share, c.other)
		if err != nil {
			return "", err
		}
		evidence = append(evidence, c.where+" "+numbers)
	}
	return strings.Join(evidence, "; "), nil
}

// brieflyEqual runs a few policies of the comparison on Table 2 for a claim.
func brieflyEqual(trials int, names ...string) (*simulate.Table, error) {
	return final(MATEqual(Lecture), "claim-mat-equal", trials, names...)
}
