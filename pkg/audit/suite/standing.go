package suite

import (
	"strings"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// Standing is the best finding on a subject, of all attacks on it: on its actions, on its releases,
// with records beyond their bounds.
type Standing struct {
	Subject string
	Best    audit.Finding
	// AtMost is the most that attacks on the worlds of some finding can see, by its Exact or AtMost; 0
	// if neither is known.
	AtMost float64
}

// Wanted returns how much of what a subject proves its best attack should find.
func (Standing) Wanted() float64 { return 0.6 }

// Share returns how much of the claim is found.
func (s Standing) Share() float64 { return s.Best.Epsilon / s.Best.Claim.Epsilon }

// Standings lists the sound subjects in the order of their first audits, a learner once.
func (r Report) Standings() (all []Standing) {
	at := map[string]int{}
	for _, f := range r.Sound.Findings {
		name := subject(f.Name)
		i, ok := at[name]
		if !ok {
			i, at[name] = len(all), len(all)
			all = append(all, Standing{Subject: name, Best: f})
		}
		s := &all[i]
		if f.Epsilon/f.Claim.Epsilon > s.Share() {
			s.Best = f
		}
		s.AtMost = max(s.AtMost, f.Exact, f.AtMost)
	}
	return all
}

// subject returns the name of a finding's subject.
func subject(finding string) string {
	name, _, _ := strings.Cut(finding, ": ")
	for _, attack := range []string{", by likelihood", ", beyond its bounds"} {
		name = strings.TrimSuffix(name, attack)
	}
	return name
}
