package matroid

import (
	"fmt"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var equalClaims = []lab.Claim{
	{"equal privacy, matroids", "at ε = 2 on Table 2 KL-OSM over blocks that remember, with boost × 0.1, has a tenth of DPUCB-MAT's regret, which has about half that of CUCB over trees, at the same privacy; most of that is the width's doing: without memory width × 0.2 has a fifth at most, with memory and boost × 1 KL-OSM has half at most; OMM with width × 0.1 fails there and is ahead of × 0.25 on the movies, where KL-OSM under Gaussian noise at δ = 10⁻⁶ has less than a quarter of DPUCB-MAT's", claimEqual},
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
	_, x, xse := lab.Last(ours)
	_, y, yse := lab.Last(theirs)
	if !(x <= share*y) {
		err = fmt.Errorf("%s: regret %.0f ± %.0f of %q, %.0f ± %.0f of %q, want a share of %.3g at most", t.Provenance.Experiment, x, xse, policy, y, yse, other, share)
	}
	return fmt.Sprintf("%.0f ± %.0f and %.0f ± %.0f", x, xse, y, yse), err
}

func claimEqual(s lab.Scale) (string, error) {
	var tables []*simulate.Table
	for i, e := range experimentsEqual(lab.Paper) {
		t, err := results.Table(e.Name)
		if err != nil {
			return "", err
		}
		epsilon := float64(Epsilon)
		if i < len(EqualEpsilons) {
			epsilon = EqualEpsilons[i]
		}
		if err := equallyPrivate(t, epsilon); err != nil {
			return "", err
		}
		tables = append(tables, t)
	}
	two, half, movies := tables[0], tables[1], tables[2]
	if err := lab.Compare("paper scale, Table 2, ε = 2", tables[:1], lab.Comparison{EqualDPTS, EqualDPUCB, 1}, lab.Comparison{EqualDPUCBAll, EqualDPUCB, 1}, lab.Comparison{EqualTreeGauss, EqualTree, 1},
		lab.Comparison{EqualQuarter, EqualTenth, 1}, lab.Comparison{EqualKLTuned, EqualQuarter, 1}, lab.Comparison{EqualFifth, EqualKLProved, 1}, lab.Comparison{EqualKLTuned, EqualCTSTuned, 1}, lab.Comparison{EqualKL, EqualKLTuned, 1}); err != nil {
		return "", err
	}
	if err := lab.Compare("paper scale, movies", tables[2:], lab.Comparison{EqualDPTS, EqualDPUCB, 1}, lab.Comparison{EqualDPUCBAll, EqualDPUCB, 1}, lab.Comparison{EqualTenth, EqualQuarter, 1}, lab.Comparison{EqualKLTunedGauss, EqualKLTuned, 1}); err != nil {
		return "", err
	}
	trials := cell.Pick(s, 20, 20, 50)
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
	return final(Equal(lab.Lecture), "claim-mat-equal", trials, names...)
}
