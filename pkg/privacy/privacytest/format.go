package privacytest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Format says how to feed a statistic. Places count records from 0; the arms of a record depend on
// its place alone.
type Format[R any] struct {
	// Record returns a random record within its bounds.
	Record func(s privacy.Setup, place int, rng *rand.Rand) privacy.Record
	// Far returns two records within their bounds whose releases are as far apart as possible.
	Far func(s privacy.Setup, place int) [2]privacy.Record
	// Clips returns by how much a record raises Clipped: 0 if it is within its bounds.
	Clips func(s privacy.Setup, r *privacy.Record) int
	// Malformed returns records of a wrong shape, such as wrong lengths or arms.
	Malformed func(s privacy.Setup, place int) []privacy.Record
	// Contexts returns the contexts of all streams alike, by place, for a statistic whose neighbours
	// have the same. nil means that each record has its own.
	Contexts func(place int) []float64
}

// Rows returns the format of accumulators: rows (x, y) of bounded norms.
func Rows() Format[privacy.Sums] {
	fill := func(s privacy.Setup, rng *rand.Rand) []float64 {
		row := inBall(s.Dim, s.Bound, rng)
		if context, _ := norms(row); s.Context > 0 && context > s.Context {
			scale(row[:s.Dim-1], s.Context*rng.Float64()/context)
		}
		return row
	}
	return Format[privacy.Sums]{
		Record: func(s privacy.Setup, _ int, rng *rand.Rand) privacy.Record { return *privacy.Row(fill(s, rng)) },
		Far: func(s privacy.Setup, _ int) [2]privacy.Record {
			v, w := far.Rows(s)
			return [2]privacy.Record{*privacy.Row(v), *privacy.Row(w)}
		},
		Clips: func(s privacy.Setup, r *privacy.Record) int {
			context, norm := norms(slices.Concat(r.X, r.Y))
			if norm > s.Bound*(1+1e-9) || s.Context > 0 && context > s.Context*(1+1e-9) {
				return 1
			}
			return 0
		},
		Malformed: func(s privacy.Setup, _ int) []privacy.Record {
			d := s.Dim - 1
			return []privacy.Record{
				{}, {X: make([]float64, d)}, {X: make([]float64, d), Y: make([]float64, 2)},
				{X: make([]float64, d-1), Y: make([]float64, 1)}, {X: make([]float64, d+1), Y: make([]float64, 1)},
			}
		},
	}
}

// norms returns the norms of a row's context and of the row, without overflow.
func norms(row []float64) (context, norm float64) {
	for i, v := range row {
		norm = portable.Hypot(norm, v)
		if i == len(row)-2 {
			context = norm
		}
	}
	return context, norm
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// Weights returns the format of tallies: the weights of arms. arms returns the arms of a place; nil
// means the first Slots arms at each place, so that one record moves the most releases. A warm-up
// record shows all arms.
func Weights(arms func(s privacy.Setup, place int) []int) Format[privacy.Means] {
	return rounds[privacy.Means](arms, func(privacy.Setup) int { return 0 })
}

// Rounds returns the format of tally.Additive, whose records are whole rounds: those of Weights
// with a context each if Setup.Dim >= 2.
func Rounds(arms func(s privacy.Setup, place int) []int) Format[tally.Answer] {
	return rounds[tally.Answer](arms, contextDim)
}

// contextDim returns the length of a round's context.
func contextDim(s privacy.Setup) int { return max(0, s.Dim-1) }

// contextBound returns the largest norm of a round's context.
func contextBound(s privacy.Setup) float64 {
	if s.Context > 0 {
		return s.Context
	}
	return s.Bound
}

// rounds returns the format of rounds with contexts of a length.
func rounds[R any](arms func(s privacy.Setup, place int) []int, dim func(privacy.Setup) int) Format[R] {
	played := func(s privacy.Setup, place int) []int {
		switch {
		case s.WarmUp && place == 0:
			return count(s.Arms)
		case arms != nil:
			return arms(s, place)
		}
		return count(s.Slots)
	}
	weigh := func(s privacy.Setup, place int, weight func() float64) privacy.Record {
		r := privacy.Record{Arms: played(s, place)}
		for range r.Arms {
			r.Y = append(r.Y, weight())
		}
		return r
	}
	// end returns a record at an end of all ranges, with a context of equal numbers.
	end := func(s privacy.Setup, place int, y, sign float64) privacy.Record {
		r := weigh(s, place, func() float64 { return y })
		for range dim(s) {
			r.X = append(r.X, sign*contextBound(s)/math.Sqrt(float64(dim(s))))
		}
		return r
	}
	return Format[R]{
		Record: func(s privacy.Setup, place int, rng *rand.Rand) privacy.Record {
			r := weigh(s, place, func() float64 { return s.Lo + float64((s.Hi-s.Lo)*rng.Float64()) })
			if d := dim(s); d > 0 {
				r.X = inBall(d, contextBound(s), rng)
			}
			return r
		},
		Far: func(s privacy.Setup, place int) [2]privacy.Record {
			return [2]privacy.Record{end(s, place, s.Lo, -1), end(s, place, s.Hi, 1)}
		},
		Clips: func(s privacy.Setup, r *privacy.Record) (n int) {
			for _, y := range r.Y {
				if y < s.Lo || y > s.Hi {
					n++
				}
			}
			if _, norm := norms(r.X); dim(s) > 0 && norm > contextBound(s)*(1+1e-9) {
				n++
			}
			return n
		},
		Malformed: func(s privacy.Setup, place int) []privacy.Record {
			with := func(change func(r *privacy.Record)) privacy.Record {
				r := end(s, place, s.Hi, 1)
				change(&r)
				return r
			}
			bad := []privacy.Record{
				with(func(r *privacy.Record) { r.Y = append(r.Y, s.Lo) }),
				with(func(r *privacy.Record) { r.Y = r.Y[1:] }),
				with(func(r *privacy.Record) { r.Arms[0] = -1 }),
				with(func(r *privacy.Record) { r.Arms[0] = s.Arms }),
				with(func(r *privacy.Record) { r.Arms, r.Y = append(r.Arms, r.Arms[0]), append(r.Y, s.Lo) }),
			}
			if most := len(played(s, place)); most < s.Arms {
				bad = append(bad, privacy.Record{Arms: count(s.Slots + 1), Y: make([]float64, s.Slots+1)})
			}
			if dim(s) > 0 {
				bad = append(bad, with(func(r *privacy.Record) { r.X = r.X[1:] }), with(func(r *privacy.Record) { r.X = append(r.X, 0) }))
			}
			return bad
		},
	}
}

// inBall returns a random vector of at most a norm.
func inBall(dim int, bound float64, rng *rand.Rand) []float64 {
	x := make([]float64, dim)
	for i := range x {
		x[i] = random.Normal(rng)
	}
	_, norm := norms(x)
	scale(x, bound*rng.Float64()/norm)
	return x
}

func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
