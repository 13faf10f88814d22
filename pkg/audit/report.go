package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// Report holds the findings on a list of items.
type Report struct {
	// Confidence is the confidence of each finding if Family is false. If Family is true, it is that
	// of no finding being wrong, over all of them.
	Confidence float64
	Family     bool
	Findings   []Finding // in the order of the items
}

// Each audits items, each with the confidence of the options: the claim of a sound item is falsely
// excluded with probability at most 1 - Confidence. If an audit fails, the report holds the
// findings made before.
func Each(ctx context.Context, items []Item, o Options) (Report, error) {
	o, err := o.complete()
	if err != nil {
		return Report{}, err
	}
	r := Report{Confidence: o.Confidence}
	return r, r.run(ctx, items, o)
}

// Family audits items such that, over all of them, any sound item's claim is falsely excluded with
// probability at most 1 - Confidence. Each is judged with confidence 1 - (1 -
// Confidence)/len(items) (Bonferroni).
func Family(ctx context.Context, items []Item, o Options) (Report, error) {
	o, err := o.complete()
	if err != nil {
		return Report{}, err
	}
	r := Report{Confidence: o.Confidence, Family: true}
	o.Confidence = 1 - (1-o.Confidence)/float64(max(1, len(items)))
	return r, r.run(ctx, items, o)
}

func (r *Report) run(ctx context.Context, items []Item, o Options) error {
	if len(items) == 0 {
		return errors.New("audit: no items")
	}
	seen := make(map[string]int) // items of equal names would share streams of randomness
	for i, item := range items {
		if item == nil {
			return fmt.Errorf("audit: items[%d] is nil", i)
		}
		about, err := item.About()
		if err != nil {
			return err
		}
		if j, ok := seen[about.Name]; ok {
			return fmt.Errorf("audit: items[%d] has the name of items[%d], %q", i, j, about.Name)
		}
		seen[about.Name] = i
	}
	for _, item := range items {
		f, err := item.Run(ctx, o)
		if err != nil {
			return err
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// Excluded returns how many claims are excluded.
func (r Report) Excluded() int {
	n := 0
	for _, f := range r.Findings {
		if f.Excluded() {
			n++
		}
	}
	return n
}

// String returns a table of claimed, audited and exact epsilon.
func (r Report) String() string {
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "subject\tdelta\tclaimed\taudited\texact\truns\tverdict")
	for _, f := range r.Findings {
		exact := "-"
		if f.Exact > 0 {
			exact = fmt.Sprintf("%.4g", f.Exact)
		} else if f.AtMost > 0 {
			exact = fmt.Sprintf("<= %.4g", f.AtMost)
		}
		verdict := f.Verdict()
		if !f.Excluded() && !math.IsInf(f.Needed, 1) {
			verdict += fmt.Sprintf(" (at these rates %.2g would)", f.Needed)
		}
		if f.Excluded() && f.Epsilon <= f.Claim.Epsilon {
			verdict += fmt.Sprintf(" (at epsilon = %.3g: delta >= %.3g, claimed %.3g)", f.At.Epsilon, f.Delta, f.At.Delta)
		}
		fmt.Fprintf(w, "%s\t%.3g\t%.4g\t>= %.3g\t%s\t%d\t%s\n", f.Name, f.Claim.Delta, f.Claim.Epsilon, f.Epsilon, exact, f.Runs, verdict)
	}
	w.Flush()
	what := "for each"
	if r.Family {
		what = "over all"
	}
	fmt.Fprintf(&s, "%d of %d claims excluded, at %.6g%% confidence %s\n", r.Excluded(), len(r.Findings), 100*r.Confidence, what)
	return s.String()
}
