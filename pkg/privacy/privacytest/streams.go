package privacytest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// background is a long stream of records.
type background struct {
	name    string
	records []privacy.Record
}

// backgrounds returns long streams of different kinds with the same arms. Some have records beyond
// their bounds if wild is set.
func (c Case[R]) backgrounds(s privacy.Setup, wild bool) []background {
	n := total(s)
	fill := func(name string, record func(place int) privacy.Record) background {
		b := background{name, make([]privacy.Record, n)}
		for place := range b.records {
			b.records[place] = record(place)
		}
		return b
	}
	rng := stream(80)
	random := func(place int) privacy.Record { return c.Format.Record(s, place, rng) }
	zero := func(place int) privacy.Record { return scaled(random(place), 0) }
	far := func(place, end int) privacy.Record { return c.Format.Far(s, place)[end] }
	sparse := func(often int) func(place int) privacy.Record {
		return func(place int) privacy.Record {
			if rng.IntN(often) > 0 {
				return zero(place)
			}
			return far(place, rng.IntN(2))
		}
	}
	all := []background{
		fill("random", random), fill("zero", zero),
		fill("at one end", func(place int) privacy.Record { return far(place, 0) }),
		fill("at the other end", func(place int) privacy.Record { return far(place, 1) }),
		fill("at both ends in turn", func(place int) privacy.Record { return far(place, place%2) }),
		fill("zero but for a few", sparse(16)), fill("zero but for very few", sparse(n)),
		fill("small", func(place int) privacy.Record { return scaled(random(place), 1e-3) }),
		fill("random again", random),
	}
	if wild {
		all = append(all, fill("beyond the bounds at random", func(place int) privacy.Record {
			if rng.IntN(4) > 0 {
				return random(place)
			}
			return c.wild(s, place, rng)
		}), fill("beyond the bounds", func(place int) privacy.Record { return c.wild(s, place, rng) }))
	}
	return all
}

// wild returns a record beyond its bounds.
func (c Case[R]) wild(s privacy.Setup, place int, rng *rand.Rand) privacy.Record {
	unit := max(s.Bound, math.Abs(s.Lo), math.Abs(s.Hi))
	factor := beyond[rng.IntN(len(beyond))]
	r := c.Format.Record(s, place, rng)
	for _, v := range [][]float64{r.X, r.Y} {
		for i := range v {
			v[i] = times(factor, unit) * float64(1-2*rng.IntN(2))
		}
	}
	return r
}

// scaled returns a record with its numbers multiplied.
func scaled(r privacy.Record, by float64) privacy.Record {
	r = clone(&r)
	scale(r.X, by)
	scale(r.Y, by)
	return r
}

// repeat checks that runs are the same again after runs on other data.
func (c Case[R]) repeat(fail report) {
	x, err := c.open(c.deep(longest))
	if err != nil {
		fail("%v", err)
		return
	}
	if secure(x) {
		return // no run can be repeated
	}
	all := c.backgrounds(c.deep(longest), true)
	first, err := c.play(x, (&script{}).noise(), all[0].records)
	if err != nil {
		fail("%v", err)
		return
	}
	other, _ := c.open(c.deep(longest))
	for _, b := range all {
		if _, err := c.play(other, (&script{}).noise(), b.records); err != nil {
			fail("records that are %s: %v", b.name, err)
			return
		}
	}
	for what, x := range map[string]privacy.Mechanism[R]{"again": x, "of another mechanism": other} {
		again, err := c.play(x, (&script{}).noise(), all[0].records)
		if err != nil {
			fail("%v", err)
			return
		}
		if where := c.differ(first, again, x, (&script{}).noise(), all[0].records); where != "" {
			fail("%s in a first run, of the same records without noise, and then %s: keep all that depends on data in the run", where, what)
			return
		}
	}
}

// longest is the number of records of the streams that are only played.
const longest = 256

// deep returns the setup for streams of so many records.
func (c Case[R]) deep(records int) privacy.Setup {
	s := c.Setup
	s.Horizon = max(s.Horizon, records)
	return s
}

// drowning returns noise that is about 2^80 times its scale, and lists what is drawn.
func drowning(laws *[]privacy.Law) *privacy.Noise {
	rng := stream(81)
	return privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
		*laws = append(*laws, law)
		for i := range dst {
			dst[i] = math.Ldexp(max(1, law.Scale)*(1+float64(rng.Float64())), 80) * float64(1-2*rng.IntN(2))
		}
	})
}

// laws returns the laws of a plan's releases.
func laws(x privacy.Planner) (all []privacy.Law) {
	for _, releases := range privacy.PlanOf(x, privacy.All).Cases {
		for _, r := range releases {
			all = append(all, r.Laws()...)
		}
	}
	return all
}

// additive reports whether noise of a law may be any number.
func additive(law privacy.Law) bool {
	return known(law) || law.Kind == gumbel || law.Kind == wishart
}

// noised checks that nothing but noisy numbers depends on the data, over short and long streams.
func (c Case[R]) noised(t testing.TB, fail report) {
	t.Helper()
	if c.Public {
		return
	}
	x, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	if secure(x) {
		say(t, "Noised: the noise is the system's, which cannot be made large: not checked")
		return
	}
	for _, law := range laws(x) {
		if !additive(law) {
			say(t, "Noised: noise that is %v drowns no record: not checked", law)
			return
		}
	}
	c.drowned(fail, c.Setup)
	if s := c.deep(max(longest, c.Long)); s != c.Setup {
		c.drowned(fail, s)
	}
}

// drowned compares streams under noise that drowns any record.
func (c Case[R]) drowned(fail report, s privacy.Setup) {
	x, err := c.open(s)
	if err != nil {
		fail("%v", err)
		return
	}
	var first *transcript
	var drawn []privacy.Law
	for _, b := range c.backgrounds(s, true) {
		var laws, ignored []privacy.Law
		got, err := c.play(x, drowning(&laws), b.records)
		if err != nil {
			fail("records that are %s: %v", b.name, err)
			return
		}
		if first == nil {
			first, drawn = got, laws
			continue
		}
		for i := range max(len(laws), len(drawn)) {
			if i >= min(len(laws), len(drawn)) || laws[i] != drawn[i] {
				fail("of records that are %s, %d draws are made, and of random ones %d, and draw %d is another: noise may depend on public numbers and earlier releases alone",
					b.name, len(laws), len(drawn), i+1)
				break
			}
		}
		if where := c.differ(first, got, x, drowning(&ignored), b.records); where != "" {
			fail("of records that are %s, %s for random ones, under noise that drowns all records: what a record moves needs noise, and what has none may depend on public numbers and earlier releases alone",
				b.name, where)
		}
	}
}

// long is the probe over long streams.
func (c Case[R]) long(fail report) {
	s := c.deep(probed)
	x, err := c.open(s)
	if err != nil {
		fail("%v", err)
		return
	}
	all := c.backgrounds(s, false)
	m, err := c.measure(x, all[0].records)
	if err != nil {
		fail("%v", err)
		return
	}
	rng := stream(82)
	for _, b := range all {
		base, err := c.play(x, (&script{}).noise(), b.records)
		if err != nil {
			fail("records that are %s: %v", b.name, err)
			return
		}
		run := func(n *privacy.Noise) ([]float64, error) {
			t, err := c.play(x, n, b.records)
			if err != nil {
				return nil, err
			}
			return t.numbers, nil
		}
		_, draws := m.linear.b.Dims()
		if err := m.linear.verify(run, base.numbers, draws); err != nil {
			fail("records that are %s have other noise than random ones: %v", b.name, c.named(err, x, b.records))
			continue
		}
		for range 8 {
			place := rng.IntN(len(b.records))
			ends := c.Format.Far(s, place)
			for i, r := range []privacy.Record{ends[0], ends[1], c.Format.Record(s, place, rng), c.wild(s, place, rng)} {
				got, err := c.play(x, (&script{}).noise(), replaced(b.records, place, r))
				if err != nil {
					fail("records that are %s: %v", b.name, err)
					return
				}
				if cost := m.change(got.numbers, base.numbers); !(cost <= m.planned*(1+1e-7)) {
					fail("of records that are %s, record %d of %d, replaced by %s, moves the releases by %.9g in the units of their noise, and the plan says at most %.9g",
						b.name, place+1, len(b.records), [...]string{"one at an end", "one at the other end", "a random one", "one beyond its bounds"}[i], cost, m.planned)
					break
				}
			}
		}
	}
}

// probed is the number of records of the streams over which changes are measured.
const probed = 96
