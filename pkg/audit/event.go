package audit

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/audit/internal/detect"
)

// mostChoosing is the largest count of numbers, in each world, of the runs that choose an event.
// All other runs test it and are not kept, so that memory does not grow with their number.
const mostChoosing = 1 << 23

// attack chooses an event on the first half of the runs, or on fewer if they have many numbers, and
// tests it on the others. Both bounds on the rates hold at once, with the confidence of the
// options, and so does all that follows from them: the claim is tested at each point of its curve.
//
// This is done twice: with outputs on a grid, which is the finding, and with all bits of outputs,
// which tells of floating point only.
func (c collection) attack(ctx context.Context, about About, o Options) (Finding, error) {
	chosen := min(c.runs/2, max(mostChoosing/c.width, min(c.runs/2, 5*MinRuns)))
	p, err := c.begin(min(c.runs, (chosen+c.block-1)/c.block*c.block))
	if err != nil {
		return Finding{}, err
	}
	defer p.meter.stop()
	if err := p.until(ctx, p.kept); err != nil {
		return Finding{}, err
	}
	kept := p.outcome()
	e := newExam(about, kept.worlds, chosen, c.runs-chosen, 1-o.Confidence)
	for w, s := range kept.worlds {
		for i := chosen; i < s.Len(); i++ {
			e.count(w, s.Row(i))
		}
	}
	wide := kept.worlds[0].Failures
	p.visit = func(world int, out []float64, failed bool) {
		if wide {
			if out = append(slices.Clip(out), 0); failed {
				out[c.width] = 1
			}
		}
		e.count(world, out)
	}
	p.worlds = [2]detect.Samples{}
	if err := p.until(ctx, c.runs); err != nil {
		return Finding{}, err
	}
	f := e.finding()
	f.Runs, f.Confidence, f.Failed = c.runs, o.Confidence, p.failed
	if p.first.err != nil {
		f.Failure = p.first.err.Error()
	}
	return f, nil
}

// lowBitRuns is how many runs choose an event of all bits.
const lowBitRuns = 10_000

// exam is a test of two events, one of outputs on the grid and one of all their bits.
type exam struct {
	about  About
	claim  detect.Claims
	alpha  float64
	share  float64 // of all runs to those that test
	tested float64
	grid   detect.Grid
	events [2]detect.Threshold
	hits   [2][2]atomic.Int64 // by event and world
}

// newExam chooses the events. It rounds the outputs in place.
func newExam(about About, kept [2]detect.Samples, chosen, tested int, alpha float64) *exam {
	e := &exam{about: about, claim: detect.NewClaims(about.Claim, about.Curve), alpha: alpha, share: float64(chosen+tested) / float64(tested), tested: float64(tested)}
	worlds := [2]detect.Samples{kept[0].Slice(0, chosen), kept[1].Slice(0, chosen)}
	e.grid = detect.NewGrid(worlds)
	few := min(chosen, lowBitRuns)
	fine := [2]detect.Samples{worlds[0].Slice(0, few), worlds[1].Slice(0, few)}
	e.events[1] = detect.Choose(fine, e.claim, bound.Quantile(alpha/2), tested)
	for _, s := range worlds {
		for i := range s.Len() {
			e.grid.Round(s.Row(i), s.Row(i))
		}
	}
	e.events[0] = detect.Choose(worlds, e.claim, bound.Quantile(alpha/2), tested)
	return e
}

// count tests the events on a run.
func (e *exam) count(world int, out []float64) {
	if e.events[1].Holds(out) {
		e.hits[1][world].Add(1)
	}
	e.grid.Round(out, out)
	if e.events[0].Holds(out) {
		e.hits[0][world].Add(1)
	}
}

// finding returns what the exam has found.
func (e *exam) finding() Finding {
	f := e.judge(0)
	f.Grid = e.grid.String()
	if fine := e.judge(1); fine.Excluded() && !f.Excluded() {
		f.LowBits, f.LowBitsEvent = fine.Epsilon, fine.Event
		if fine.Epsilon <= f.Claim.Epsilon { // at another point of the curve
			f.LowBits = fine.At.Epsilon
		}
	}
	return f
}

// judge returns the finding of an event.
func (e *exam) judge(i int) Finding {
	event, claim, about := e.events[i], e.claim, e.about
	k, j := float64(e.hits[i][event.World].Load()), float64(e.hits[i][1-event.World].Load())
	p, q := k/e.tested, j/e.tested
	pLo, qHi := bound.Lower(k, e.tested, e.alpha/2), bound.Upper(j, e.tested, e.alpha/2)
	at, _ := claim.Contradicts(pLo, qHi, p, q, e.tested)
	nearest, _ := claim.Contradicts(p, q, p, q, e.tested)
	return Finding{
		About: about, Epsilon: max(0, bound.LogRatio(pLo-about.Claim.Delta, qHi)),
		At: claim.Points[at], Delta: max(0, pLo-float64(claim.Grow[at]*qHi)),
		Event: event.String(), P: p, Q: q, Tested: int(e.tested),
		Needed: math.Ceil(e.share * bound.Needed(p, q, claim.Points[nearest].Epsilon, claim.Points[nearest].Delta, e.alpha)),
		Unit:   "runs in each world",
	}
}
