package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// String returns the card as text, a section at a time.
func (c *Card) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.Learner)
	fmt.Fprintf(&b, "%s scale, seed %d, toolkit %s, %v\n", c.Scale, c.Seed, c.Version, c.Took.Round(100*time.Millisecond))
	if c.Stopped != "" {
		fmt.Fprintf(&b, "INTERRUPTED at the %s: what follows is a part of the card\n", c.Stopped)
	}
	fmt.Fprintln(&b)
	for _, section := range []func(w *tabwriter.Writer){c.writeClaim, c.writeAttacks, c.writeRaces, c.writeGrows, c.writeCosts, c.writeChecks} {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		section(w)
		w.Flush()
	}
	if c.has(races) {
		for _, why := range c.PlaysNot {
			fmt.Fprintf(&b, "does not play  %s\n", why)
		}
	}
	return b.String()
}

// has reports whether a section was asked for.
func (c *Card) has(s string) bool { return len(c.Only) == 0 || slices.Contains(c.Only, s) }

// number formats a number in three digits.
func number[T ~float64](v T) string { return fmt.Sprintf("%.3g", float64(v)) }

func (c *Card) writeClaim(w *tabwriter.Writer) {
	if !c.Claim.Held {
		fmt.Fprintf(w, "claim\tnone\n")
		return
	}
	if c.Claim.Asserted() {
		fmt.Fprintf(w, "claim\tepsilon %.4g at delta %g, as its author says: NOT proved\n", float64(c.Claim.Epsilon), c.Claim.Delta)
	} else {
		fmt.Fprintf(w, "claim\tepsilon %.4g at delta %g, %s by %s accounting (asked %.4g)\n", float64(c.Claim.Epsilon), c.Claim.Delta, c.Claim.Word(), c.Claim.Accountant, float64(c.Claim.Asked))
	}
	fmt.Fprintf(w, "\t%s, %s, %s\n", c.Claim.Model, c.Claim.Neighbours, c.Claim.Scope)
	if c.Claim.Asserted() {
		fmt.Fprintf(w, "\tnoise of its own; %s", c.Claim.Standing)
	} else {
		fmt.Fprintf(w, "\tnoise %s; %s", c.Claim.Noise, c.Claim.Standing)
	}
	if len(c.Claim.Authors) > 0 {
		fmt.Fprintf(w, ": %s", strings.Join(c.Claim.Authors, ", "))
	}
	fmt.Fprintln(w)
	for _, condition := range c.Claim.Conditions {
		fmt.Fprintf(w, "\tif %s\n", condition)
	}
}

// False reports whether the claim is excluded.
func (c *Card) False() bool {
	return c.Bare != "" || slices.ContainsFunc(c.Attacks, func(a Attack) bool { return a.False })
}

// Verdict says in a line what the attacks show of the claim.
func (c *Card) Verdict() string {
	if !c.Claim.Held || math.IsInf(float64(c.Claim.Epsilon), 1) {
		return "claims no privacy"
	}
	if c.Bare != "" {
		return "the claim is false: " + c.Bare
	}
	for _, a := range c.Attacks {
		if a.Failed != "" {
			continue
		}
		if a.False {
			line := fmt.Sprintf("the claim is false: %s excludes epsilon %.3g", a.Name, max(a.Excluded, a.Claimed))
			if a.Event != "" {
				line += fmt.Sprintf(", by %s, in a share of %.3g of runs in one world and of %.3g in the other", a.Event, a.P, a.Q)
			}
			return line
		}
		if c.Stopped == attacks {
			continue
		}
		line := fmt.Sprintf("the claim stands: of epsilon %.3g, the best attack excludes %.3g (%s)", a.Claimed, a.Excluded, a.Name)
		if a.Excluded < a.Claimed/2 {
			best := fmt.Sprintf("of epsilon %.3g, the best attack excludes %.3g (%s)", a.Claimed, a.Excluded, a.Name)
			if a.Excluded == 0 {
				best = fmt.Sprintf("no attack excludes anything of epsilon %.3g", a.Claimed)
			}
			line = "the claim is not excluded, but little of it was seen: " + best + "; a claim that is too small can pass; scale lecture, or paper, takes far longer and sees more"
		}
		if a.Visible > 0 {
			line += fmt.Sprintf("; no attack on these rounds sees more than %.3g, others may", a.Visible)
		}
		return line
	}
	if c.Stopped == checks || c.Stopped == attacks {
		return "interrupted before all attacks were made: no verdict"
	}
	if !c.has(attacks) {
		return "the claim was not attacked"
	}
	if c.broke() {
		return "the program broke down, and was not attacked: no verdict"
	}
	return "no attack could be made"
}

// broke reports whether the learner is a program that broke down while it was checked.
func (c *Card) broke() bool {
	return slices.ContainsFunc(c.Checks, func(k Check) bool { return k.Suite == "external.Program" && len(k.Failures) > 0 })
}

func (c *Card) writeAttacks(w *tabwriter.Writer) {
	fmt.Fprintf(w, "attacked\t%s\n", c.Verdict())
	if c.Silent && c.Claim.Held {
		fmt.Fprintf(w, "\tWARNING: it does not say what it releases. Only its arms were attacked, and a wrong claim can pass\n")
	}
	if n := len(c.Attacks); n > 0 {
		fmt.Fprintf(w, "\t%d attacks of %d runs and more in each world, all together at %g%% confidence\n", n, slices.MinFunc(c.Attacks, func(a, b Attack) int { return a.Runs - b.Runs }).Runs, 100*c.Confidence)
	}
	for _, a := range c.Attacks {
		if a.Failed != "" {
			fmt.Fprintf(w, "\t%s: not made: %s\n", a.Name, a.Failed)
		}
	}
}

func (c *Card) writeRaces(w *tabwriter.Writer) {
	for i, r := range c.Races {
		title := ""
		if i == 0 {
			title = "regret"
		}
		if r.Trials == 0 {
			fmt.Fprintf(w, "%s\t%s\tno trial finished: %s\n", title, r.World, r.Failed)
			continue
		}
		own := r.Learner()
		world := r.World
		if own.For != "" {
			world += ", though it is for " + own.For
		}
		fmt.Fprintf(w, "%s\t%s\t%.4g +- %.2g\t%s", title, world, own.Regret, float64(own.Within), r.Standing())
		if best, ok := r.Best(); ok {
			name := best.Title()
			if best.Model != own.Model {
				name = best.Title(best.Model)
			}
			fmt.Fprintf(w, "\tbest rival %s %.4g, %+.3g +- %.3g", name, best.Regret, float64(best.Behind), float64(best.BehindWithin))
		}
		if public, ok := r.Public(); ok {
			fmt.Fprintf(w, "\twithout privacy %s %.4g", public.Title(), public.Regret)
		}
		fmt.Fprintln(w)
	}
	if len(c.Races) > 0 {
		fmt.Fprintf(w, "\t%d rounds, %d trials; no private rival proves a larger epsilon; differences are paired, 95%%\n", c.Races[0].Rounds, c.Races[0].Trials)
	}
}

func (c *Card) writeGrows(w *tabwriter.Writer) {
	for i, g := range c.Grows {
		title := ""
		if i == 0 {
			title = "grows"
		}
		if g.Why != "" {
			fmt.Fprintf(w, "%s\twith %s: %s\n", title, g.In, g.Why)
			continue
		}
		fmt.Fprintf(w, "%s\twith %s to the power %.2f [%.2f, %.2f], from %s to %s, in %s\n", title, g.In,
			float64(g.Value), float64(g.Lo), float64(g.Hi), number(g.At[0]), number(g.At[len(g.At)-1]), g.World)
	}
}

func (c *Card) writeCosts(w *tabwriter.Writer) {
	for i, at := range c.Costs {
		title := ""
		if i == 0 {
			title = "costs"
		}
		if at.Piped {
			fmt.Fprintf(w, "%s\t%.0f ns a round, the pipe to the program included, in %s\n", title, at.Nanoseconds, at.World)
			continue
		}
		fmt.Fprintf(w, "%s\t%.0f ns a round, %.2g allocations, %.3g kB a run, in %s\n", title, at.Nanoseconds, at.Allocations, float64(at.Memory)/1e3, at.World)
	}
}

func (c *Card) writeChecks(w *tabwriter.Writer) {
	for i, k := range c.Checks {
		title, where := "", ""
		if i == 0 {
			title = "checks"
		}
		if k.World != "" {
			where = ", in " + k.World
		}
		if len(k.Failures) == 0 {
			fmt.Fprintf(w, "%s\tok: %s (%s%s)\n", title, k.What, k.Suite, where)
			continue
		}
		fmt.Fprintf(w, "%s\tNOT KEPT: %s (%s%s)\n", title, k.What, k.Suite, where)
		for _, f := range k.Failures {
			fmt.Fprintf(w, "\t  %s\n", f)
		}
	}
}
