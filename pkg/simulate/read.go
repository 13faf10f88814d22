package simulate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Epsilon returns the epsilon that is proved of a policy, to the four digits of its claim: +Inf if
// the policy claims nothing, and NaN for a claim without that line.
func (t *Table) Epsilon(policy string) float64 {
	claim := t.Claims[policy]
	if claim == "" {
		return math.Inf(1)
	}
	for line := range strings.Lines(claim) {
		word := strings.Fields(line)
		if len(word) < 4 || word[0] != "proved" || word[1] != "epsilon" || word[2] != "=" {
			continue
		}
		if epsilon, err := strconv.ParseFloat(word[3], 64); err == nil {
			return epsilon
		}
	}
	return math.NaN()
}

// Lead returns by how many standard errors the regret of policy a is below that of b at the last
// round. If the curves have the trial-by-trial difference "b - a" (see Experiment.Pairs), the
// standard error is that difference's; otherwise it is that of two independent means.
// Of several curves of a name, the first counts.
func Lead(curves []Curve, a, b string) (float64, error) {
	at := map[string][2]float64{}
	for _, c := range curves {
		if _, seen := at[c.Policy]; !seen && len(c.Mean) > 0 {
			last := len(c.Mean) - 1
			at[c.Policy] = [2]float64{c.Mean[last], c.SE[last]}
		}
	}
	if pair, ok := at[b+" - "+a]; ok {
		return pair[0] / pair[1], nil
	}
	for _, policy := range []string{a, b} {
		if _, ok := at[policy]; !ok {
			return 0, fmt.Errorf("simulate: no curve of %q", policy)
		}
	}
	square := float64(at[a][1]*at[a][1]) + float64(at[b][1]*at[b][1])
	return (at[b][0] - at[a][0]) / math.Sqrt(square), nil
}
