package privacytest

import "github.com/dpbandits/dpbandits/pkg/privacy"

// neighbours checks whom the plan says that it protects: one record that is replaced, or a user
// with several, of whom as many are replaced here.
func (c Case[R]) neighbours(fail report) {
	x, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	of := privacy.PlanOf(x, privacy.All).Neighbours
	if of.Relation == privacy.AddRemove {
		fail("the plan is about a record that is added or removed, and a statistic shows how many came: want Replace")
	}
	k := of.Contributions
	if k <= 1 || c.Public {
		return
	}
	n := total(c.Setup)
	if k > n {
		fail("the plan protects users with up to %d records, and Case.Setup has %d: set a longer horizon", k, n)
		return
	}
	records := c.records(c.Setup, 90)
	m, err := c.measure(x, records)
	if err != nil {
		fail("the plan protects users with up to %d records, which nothing measures (%v): want 1, and Plan.ForUsers for users", k, err)
		return
	}
	rng := stream(91)
	for try := range 32 {
		worlds := [2][]privacy.Record{records, records}
		for i, place := range rng.Perm(n)[:k] {
			if try == 0 {
				place = i * (n - 1) / max(1, k-1) // as far from each other as can be
			}
			ends := c.Format.Far(c.Setup, place)
			for w := range worlds {
				worlds[w] = replaced(worlds[w], place, ends[w])
			}
		}
		var got [2][]float64
		for w := range worlds {
			t, err := c.play(x, (&script{}).noise(), worlds[w])
			if err != nil {
				fail("%v", err)
				return
			}
			got[w] = t.numbers
		}
		if cost := m.change(got[1], got[0]); !(cost <= m.planned*(1+1e-9)) {
			fail("%d records of a user move the releases by %.6g in the units of their noise, and the plan says at most %.6g: state one record, and let Plan.ForUsers account for more", k, cost, m.planned)
			return
		}
	}
}
