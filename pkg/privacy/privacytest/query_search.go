package privacytest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// querySearch looks for two neighbouring batches of one length.
type querySearch struct {
	of     privacy.Mechanism[tally.Answer]
	setup  privacy.Setup
	format Format[tally.Answer]
	rng    *rand.Rand
	found  Moved
}

// neighbours are two batches that differ in the record at a place.
type neighbours struct {
	batch []privacy.Record
	place int
	other privacy.Record // in place of the record there
	moved float64        // how far apart the answers are
}

func (n neighbours) clone() neighbours {
	all := make([]privacy.Record, len(n.batch))
	for i := range all {
		all[i] = clone(&n.batch[i])
	}
	n.batch, n.other = all, clone(&n.other)
	return n
}

// further orders pairs by how far they move the answer, the furthest first.
func further(a, b neighbours) int { return cmp.Compare(b.moved, a.moved) }

// mostShown is the number of records of the longest batch that is made easy to read.
const mostShown = 64

// mostRecords bounds the records of a search, so that one of long batches has fewer tries.
const mostRecords = 4_000_000

// search searches batches of n records.
func (c QueryCase) search(n int) (Moved, error) {
	of := c.Of
	of.Lengths, of.Grid = tally.EqualRounds(n), 0 // answers without rounding
	m, err := of.Open(c.Setup)
	if err != nil {
		return Moved{}, err
	}
	s := &querySearch{of: m, setup: c.Setup, rng: stream(uint64(1000 + n))}
	s.format = Rounds(func(privacy.Setup, int) []int { return s.arms() })
	one := privacy.PlanOf(m, privacy.All).Cases[0][0]
	if s.found.Stated, s.found.Norm = one.Sensitivity.L1, "L1"; one.Law.Kind != laplace {
		s.found.Stated, s.found.Norm = one.Sensitivity.L2, "L2"
	}
	tries := min(cmp.Or(c.Tries, 4000), max(100, mostRecords/n))
	best, err := s.starts(n, tries/2)
	for i := 0; err == nil && i < len(best); i++ {
		err = s.climb(&best[i], tries/(2*len(best)))
	}
	slices.SortStableFunc(best, further)
	if err == nil && len(best) > 0 && n <= mostShown {
		err = s.tidy(&best[0])
	}
	if err != nil {
		return s.found, err
	}
	return s.found, s.again()
}

// arms returns random arms for a round, as many as there are slots.
func (s *querySearch) arms() []int { return s.rng.Perm(s.setup.Arms)[:s.setup.Slots] }

// starts tries pairs of many kinds, and returns the best ones.
func (s *querySearch) starts(n, tries int) (best []neighbours, err error) {
	const chains = 4
	kinds := s.kinds(n)
	for try := range tries {
		p := neighbours{batch: make([]privacy.Record, n), place: []int{0, n / 2, n - 1, s.rng.IntN(n)}[s.rng.IntN(4)]}
		kind := kinds[try%len(kinds)]
		arms := s.arms()
		for i := range p.batch {
			if p.batch[i] = kind(i); s.rng.IntN(8) > 0 { // mostly of the same arms, so that an arm has many
				p.batch[i].Arms = slices.Clone(arms)
			}
		}
		p.batch[p.place] = s.record(p.batch)
		p.other = s.record(p.batch)
		s.same(&p)
		if err := s.try(&p); err != nil {
			return best, err
		}
		best = append(best, p)
		slices.SortStableFunc(best, further)
		best = best[:min(len(best), chains)]
	}
	return best, nil
}

// kinds returns rules that make the records of a batch, by their place in it.
func (s *querySearch) kinds(n int) []func(i int) privacy.Record {
	end := func(i, which int) privacy.Record { return s.format.Far(s.setup, i)[which] }
	between := func(i int, share float64) privacy.Record {
		r := end(i, 0)
		for j := range r.Y {
			r.Y[j] = s.setup.Lo + float64(share*(s.setup.Hi-s.setup.Lo))
		}
		scale(r.X, 1-2*share)
		return r
	}
	whole := func(r privacy.Record) privacy.Record {
		for j, y := range r.Y {
			r.Y[j] = math.Round(y)
		}
		return r
	}
	random := func(i int) privacy.Record { return s.format.Record(s.setup, i, s.rng) }
	return []func(i int) privacy.Record{
		func(i int) privacy.Record { return end(i, 0) },
		func(i int) privacy.Record { return end(i, 1) },
		func(i int) privacy.Record { return end(i, i%2) },
		func(i int) privacy.Record { return end(i, 2*i/n) },
		func(i int) privacy.Record { return end(i, s.rng.IntN(2)) },
		func(i int) privacy.Record { return between(i, 0.5) },
		func(i int) privacy.Record { return between(i, float64(i)/float64(n)) },
		func(i int) privacy.Record { return between(i, float64(s.rng.IntN(3))/2) },
		func(i int) privacy.Record { return scaled(random(i), 0) },
		random,
		func(i int) privacy.Record { return whole(random(i)) },
		func(i int) privacy.Record { return s.beyond(random(i)) },
	}
}

// beyond returns a record with its numbers beyond their bounds, some of them.
func (s *querySearch) beyond(r privacy.Record) privacy.Record {
	unit := max(s.setup.Bound, math.Abs(s.setup.Lo), math.Abs(s.setup.Hi))
	for _, v := range [][]float64{r.X, r.Y} {
		for i := range v {
			if s.rng.IntN(2) == 0 {
				v[i] = times(beyond[s.rng.IntN(len(beyond))], unit) * float64(1-2*s.rng.IntN(2))
			}
		}
	}
	return r
}

// record returns a record to put into a batch: at an end, in the middle, random, beyond its bounds,
// or next to one that is there.
func (s *querySearch) record(batch []privacy.Record) privacy.Record {
	r := s.format.Far(s.setup, 0)[s.rng.IntN(2)]
	switch s.rng.IntN(8) {
	case 0, 1, 2:
	case 3:
		r = scaled(r, 0)
	case 4:
		r = s.format.Record(s.setup, 0, s.rng)
	case 5:
		r = s.beyond(s.format.Record(s.setup, 0, s.rng))
	default:
		if like := &batch[s.rng.IntN(len(batch))]; len(like.Y) > 0 {
			r = s.near(clone(like))
		}
	}
	return r
}

// near changes one number of a record, by much or by little, or none.
func (s *querySearch) near(r privacy.Record) privacy.Record {
	by := math.Ldexp((s.setup.Hi-s.setup.Lo)*(float64(s.rng.Float64())-0.5), 1-s.rng.IntN(24))
	switch d := len(r.X); {
	case s.rng.IntN(4) == 0:
	case d > 0 && s.rng.IntN(2) == 0:
		r.X[s.rng.IntN(d)] += by
	case s.rng.IntN(4) == 0:
		i := s.rng.IntN(len(r.Y))
		r.Y[i] = math.Round(r.Y[i] + by)
	default:
		r.Y[s.rng.IntN(len(r.Y))] += by
	}
	return r
}

// tidy puts records that are easy to read in the places of others, wherever the answer then moves
// as far.
func (s *querySearch) tidy(p *neighbours) error {
	for i := range len(p.batch) + 1 {
		for _, which := range []int{0, 1} {
			next := p.clone()
			to := &next.other
			if i < len(next.batch) {
				to = &next.batch[i]
			}
			r := s.format.Far(s.setup, 0)[which]
			r.Arms, r.Y = to.Arms, r.Y[:len(to.Arms)]
			*to = r
			if err := s.try(&next); err != nil {
				return err
			}
			if next.moved >= p.moved {
				*p = next
				break
			}
		}
	}
	s.found.Seen = 0 // the pair as it is now is the one to show
	return s.try(p)
}

// same gives both records of a place the same arms where no context makes them differ.
func (s *querySearch) same(p *neighbours) {
	if contextDim(s.setup) == 0 {
		p.other.Arms = slices.Clone(p.batch[p.place].Arms)
	}
}

// climb changes a pair again and again, and keeps what moves the answer as far or further.
func (s *querySearch) climb(p *neighbours, tries int) error {
	for range tries {
		next := p.clone()
		for range 1 + s.rng.IntN(3) {
			s.change(&next)
		}
		s.same(&next)
		if err := s.try(&next); err != nil {
			return err
		}
		if next.moved >= p.moved {
			*p = next
		}
	}
	return nil
}

// change changes something of a pair.
func (s *querySearch) change(p *neighbours) {
	n := len(p.batch)
	i := s.rng.IntN(n)
	switch s.rng.IntN(8) {
	case 0:
		p.other = s.record(p.batch)
	case 1:
		p.other = s.near(p.other)
	case 2:
		p.batch[p.place] = s.record(p.batch)
	case 3:
		p.batch[p.place] = s.near(p.batch[p.place])
	case 4:
		p.batch[i] = s.near(p.batch[i])
	case 5: // a part of the batch
		r := s.record(p.batch)
		for j := i; j < min(n, i+1+s.rng.IntN(n)); j++ {
			if j != p.place {
				p.batch[j] = clone(&r)
			}
		}
	case 6:
		p.batch[i].Arms = s.arms()
	default:
		p.batch[i] = s.record(p.batch)
	}
}

// try asks about both batches of a pair, and keeps the pair if none before moved the answer as far.
func (s *querySearch) try(p *neighbours) error {
	worlds := [2][]privacy.Record{p.batch, replaced(p.batch, p.place, p.other)}
	var answers [2][]float64
	for w := range worlds {
		var err error
		if answers[w], err = s.answer(worlds[w]); err != nil {
			return fmt.Errorf("%w: %s", err, few(worlds[w]))
		}
	}
	s.found.Tries++
	p.moved = 0
	for i, v := range answers[1] {
		if d := math.Abs(v - answers[0][i]); s.found.Norm == "L1" {
			p.moved += d
		} else {
			p.moved = portable.Hypot(p.moved, d)
		}
	}
	if p.moved > s.found.Seen || s.found.Tries == 1 {
		kept := p.clone()
		s.found.Seen, s.found.Place, s.found.Answers = p.moved, p.place, answers
		s.found.Batches = [2][]privacy.Record{kept.batch, replaced(kept.batch, kept.place, kept.other)}
	}
	return nil
}

// few shows a batch, if it is short, or its beginning.
func few(batch []privacy.Record) string {
	if len(batch) <= 9 {
		return "the batch " + show(batch...)
	}
	return fmt.Sprintf("the batch of %d records %s ...", len(batch), show(batch[:9]...))
}

// answer returns the mechanism's answer to a batch, without noise.
func (s *querySearch) answer(batch []privacy.Record) ([]float64, error) {
	run := s.of.Start((&script{}).noise())
	for i := range batch {
		if _, err := run.Add(&batch[i]); err != nil {
			return nil, err
		}
	}
	return run.Release().Of, nil
}

// again asks once more about the pair that moved the answer the most, the other batch first.
func (s *querySearch) again() error {
	for w := 1; w >= 0; w-- {
		got, err := s.answer(s.found.Batches[w])
		if err != nil {
			return err
		}
		if !same(got, s.found.Answers[w]) {
			return fmt.Errorf("the same records are answered with %v, and later with %v: an answer may depend on its batch alone: %s",
				s.found.Answers[w], got, few(s.found.Batches[w]))
		}
	}
	return nil
}
