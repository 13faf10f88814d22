package privacy

import (
	"fmt"
	"math"
	"strings"
)

// Report is a claim and what its event is worth by the tightest accountant that can treat it.
type Report struct {
	Name string // whose claim
	Claim
	Exact      float64 // the least epsilon at Claim.Nominal.Delta that an accountant proves for the event
	Accountant string  // which one
}

// NewReport accounts a claim. It is an error if the event is worth less than the claim says.
func NewReport(name string, c Claim) (Report, error) {
	r := Report{Name: name, Claim: c}
	if math.IsInf(c.Epsilon, 1) {
		r.Exact, r.Accountant = c.Epsilon, "nothing is claimed"
		return r, nil
	}
	if !(c.Epsilon >= 0) || math.IsNaN(c.Nominal.Epsilon) || math.IsNaN(c.Nominal.Delta) {
		return r, fmt.Errorf("privacy: the claim of %s: epsilon = %v for %v, want numbers", name, c.Epsilon, c.Nominal)
	}
	if c.Event == nil {
		return r, fmt.Errorf("privacy: the claim of %s has no event: an accountant needs one", name)
	}
	if err := c.Neighbours.Validate(); err != nil {
		return r, fmt.Errorf("privacy: the claim of %s: %w", name, err)
	}
	var err error
	if r.Exact, r.Accountant, err = Tightest(c.Event, c.Nominal.Delta); err != nil {
		return r, fmt.Errorf("privacy: the claim of %s: %w", name, err)
	}
	if !(r.Exact <= c.Epsilon*(1+1e-9)) {
		return r, fmt.Errorf("privacy: %s claims epsilon = %.6g at delta = %.4g, but its event, %v, is worth %.6g (%s)", name, c.Epsilon, c.Nominal.Delta, c.Event, r.Exact, r.Accountant)
	}
	return r, nil
}

// Fields returns the report as names and values.
func (r Report) Fields() [][2]string {
	fields := [][2]string{
		{"model", fmt.Sprintf("%v differential privacy", r.Model)},
		{"neighbours", r.Neighbours.String()},
		{"asked for", fmt.Sprintf("epsilon = %.4g, delta = %.4g", r.Nominal.Epsilon, r.Nominal.Delta)},
		{"claimed", fmt.Sprintf("epsilon = %.4g at that delta", r.Epsilon)},
		{"accounted", fmt.Sprintf("epsilon = %.4g (%s)", r.Exact, r.Accountant)},
		{"event", fmt.Sprint(r.Event)},
		{"calibration", r.Calibration.String()},
	}
	for _, c := range r.Conditions {
		fields = append(fields, [2]string{"condition", c})
	}
	return append(fields, [2]string{"source", r.Source})
}

// String prints the report, a fact a line.
func (r Report) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n", r.Name)
	for _, f := range r.Fields() {
		fmt.Fprintf(&s, "  %-12s%s\n", f[0], f[1])
	}
	return s.String()
}
