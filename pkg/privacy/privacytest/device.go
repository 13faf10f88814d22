package privacytest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// DeviceCase is a local learner's device to be checked by Device.
type DeviceCase struct {
	Device  learner.Device
	Server  learner.Server // the device's server, whose first broadcast is the honest one
	Problem bandit.Problem
	Horizon int // horizon of Open; 0 means 100
	// Below is the share of its plan by which the device may be found to lose less. 0 means 1e-9, 1
	// allows anything.
	Below float64
}

// Device checks the half of a local learner that sees raw data:
//
//   - Sensitivity: whatever the broadcast, the messages of two users are no further apart than the
//     plan says, in the units of their noise, however far their data is beyond its bounds. Laws
//     that the probe does not know are compared by the norms of the plan.
//   - Message: all messages have one length, are appended, and depend on nothing but the user's
//     data, the broadcast and the noise. The context is neither written to nor kept.
//   - Act: whatever messages a device has sent before, it plays the arm that one plays that has
//     sent none.
//   - Refused: data that is not finite or of a wrong length is an error, and draws no noise.
//     Whether a broadcast is refused does not depend on the data.
//   - Ledger: the noise drawn for any number of messages is the noise claimed.
//   - Fresh: a second message has noise of its own, as large as the first.
//   - Plan: the device holds a plan, of the local model and one message, worth what was asked.
//   - Accounted: each draw of a message is in a release of the plan.
func Device(t testing.TB, c DeviceCase) {
	t.Helper()
	if c.Horizon == 0 {
		c.Horizon = 100
	}
	if c.Below > 0 {
		say(t, "DeviceCase.Below = %v: messages are tried that are %v of the plan apart or more", c.Below, 1-c.Below)
	}
	runAll(t, []check{
		{"Sensitivity", c.sensitivity}, {"Message", c.message}, {"Act", c.act}, {"Refused", c.refused}, {"Ledger", c.ledger}, {"Fresh", c.fresh}, {"Plan", c.plan}, {"Accounted", c.accounted},
	})
}

// datum is a user's context and reward.
type datum struct {
	x []float64
	y float64
}

func (c DeviceCase) open() (learner.CalibratedDevice, error) {
	d, err := c.Device.Open(c.Problem, c.Horizon)
	if err != nil {
		return nil, fmt.Errorf("the Open that the case asks for: %w", err)
	}
	return d, nil
}

// broadcasts returns the honest broadcast, and those of a server that wants to learn the most.
func (c DeviceCase) broadcasts() ([][]float64, error) {
	ready, err := c.Server.Open(c.Problem, c.Horizon)
	if err != nil {
		return nil, err
	}
	s := ready.Start(stream(40))
	honest := slices.Clone(s.Broadcast())
	all := [][]float64{honest, {}, append(slices.Clone(honest), 1)}
	for _, v := range []float64{0, 1, -1, 1e3, 1e300, math.NaN(), math.Inf(1)} {
		every := slices.Clone(honest)
		for i := range every {
			every[i] = v
		}
		all = append(all, every)
		for _, i := range []int{0, len(honest) - 1} {
			if len(honest) > 0 {
				one := slices.Clone(honest)
				one[i] = v
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// ready returns a device that is open, or nil, and the broadcasts for it.
func (c DeviceCase) ready(fail report) (learner.CalibratedDevice, [][]float64) {
	d, err := c.open()
	if err != nil {
		fail("%v", err)
		return nil, nil
	}
	all, err := c.broadcasts()
	if err != nil {
		fail("%v", err)
		return nil, nil
	}
	return d, all
}

// data returns users' data within the bounds, at them, and beyond them.
func (c DeviceCase) data() (all []datum) {
	p := c.Problem
	for axis := range p.Dim {
		for _, sign := range []float64{1, -1} {
			x := make([]float64, p.Dim)
			x[axis] = sign * p.ContextNorm
			all = append(all, datum{x, p.RewardMin}, datum{x, p.RewardMax})
		}
	}
	all = append(all, datum{make([]float64, p.Dim), 0}, datum{make([]float64, p.Dim), p.RewardMax})
	rng := stream(41)
	for range 16 { // random ones, half of them at the bounds
		x := make([]float64, p.Dim)
		contexts(rng, x, p.Dim, p.ContextNorm)
		all = append(all, datum{x, p.RewardMin + float64((p.RewardMax-p.RewardMin)*rng.Float64())})
		_, norm := norms(x)
		long := slices.Clone(x)
		scale(long, p.ContextNorm/norm)
		all = append(all, datum{long, p.RewardMax}, datum{long, p.RewardMin})
	}
	for _, factor := range []float64{1.5, 30, 1e10, 1e300} {
		for axis := range p.Dim + 1 {
			for _, sign := range []float64{1, -1} {
				x := make([]float64, p.Dim)
				contexts(rng, x, p.Dim, p.ContextNorm)
				far := datum{x, sign * times(factor, p.RewardBound())}
				if axis < p.Dim {
					x[axis], far.y = sign*times(factor, p.ContextNorm), p.RewardMax
				}
				all = append(all, far)
				// One coordinate drowns the squares of the others.
				for other := range p.Dim {
					if axis < p.Dim && other != axis {
						x := slices.Clone(far.x)
						x[other] = 30 * p.ContextNorm
						all = append(all, datum{x, p.RewardMin})
					}
				}
			}
		}
	}
	return all
}

// send makes a message from a copy of the data.
func send(d learner.Reporter, broadcast []float64, u datum, n *privacy.Noise) (learner.Message, error) {
	return d.Report(broadcast, slices.Clone(u.x), u.y, n, nil)
}

func (c DeviceCase) sensitivity(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	d, plan, data := ready.Start(), privacy.PlanOf(ready, privacy.All), c.data()
	var found, planned float64
	var seen []*answers
	for i, broadcast := range broadcasts {
		var messages [][]float64
		for _, u := range data {
			m, err := send(d, broadcast, u, (&script{}).noise())
			if err != nil {
				if i == 0 {
					fail("x = %v, y = %v is refused: %v: clip it to its bounds", u.x, u.y, err)
					return
				}
				break // the broadcast is refused
			}
			messages = append(messages, m)
		}
		if len(messages) < len(data) {
			continue
		}
		cost, most, b, err := c.measure(d, broadcast, data[0], plan)
		if err != nil {
			fail("broadcast %d: %v", i, err)
			return
		}
		now := &answers{messages, b}
		if slices.ContainsFunc(seen, now.same) {
			continue // the broadcast makes no difference
		}
		seen, planned = append(seen, now), most
		for a := range messages {
			for b := range a {
				if slices.Equal(messages[a], messages[b]) {
					continue
				}
				got := cost(difference(messages[a], messages[b]))
				if found = max(found, got); !(got <= most*(1+1e-9)) {
					fail("with broadcast %d, the messages of x = %v, y = %v and of x = %v, y = %v are %.6g apart in the units of their noise, and the plan says at most %.6g: clip the data to its bounds before all else",
						i, data[a].x, data[a].y, data[b].x, data[b].y, got, most)
					return
				}
			}
		}
	}
	below := c.Below
	if below == 0 {
		below = 1e-9
	}
	if !(found >= planned*(1-below)) {
		fail("the plan says that messages are up to %.9g apart in the units of their noise, and none of those tried are by more than %.9g: noise is wasted, or set DeviceCase.Below",
			planned, found)
	}
}

// answers holds a device's answers without noise, and how they depend on the noise.
type answers struct {
	messages [][]float64
	b        *mat.Dense // nil if not known
}

func (a *answers) same(other *answers) bool {
	return slices.EqualFunc(a.messages, other.messages, same) && (a.b == nil || mat.Equal(a.b, other.b))
}

// measure returns a function for how far apart two messages are, how far apart they may be by the
// plan, and the noise's matrix.
func (c DeviceCase) measure(d learner.Reporter, broadcast []float64, u datum, plan privacy.Plan) (cost func([]float64) float64, most float64, b *mat.Dense, err error) {
	for _, releases := range plan.Cases {
		for _, r := range releases {
			for _, law := range r.Laws() {
				if !known(law) {
					cost, err := byNorms(plan)
					return cost, 1, nil, err
				}
			}
		}
	}
	l, err := respond(func(n *privacy.Noise) ([]float64, error) { return send(d, broadcast, u, n) })
	if err != nil {
		return nil, 0, nil, err
	}
	if most, err = l.worth(plan); err != nil {
		return nil, 0, nil, err
	}
	size, _ := l.b.Dims()
	cost, err = l.solver(size)
	return cost, most, l.b, err
}

// byNorms compares a change with the norms of a plan of one release. The cost is the largest ratio
// of a norm of the change to its bound, and should be at most 1. A script rounds down, which moves
// a number by no more than random rounding may.
func byNorms(plan privacy.Plan) (func([]float64) float64, error) {
	if len(plan.Cases) != 1 || len(plan.Cases[0]) != 1 {
		return nil, errors.New("the plan has several releases, with noise that the probe does not know")
	}
	s := plan.Cases[0][0].Sensitivity
	return func(d []float64) (cost float64) {
		var l1, square, inf float64
		for _, v := range d {
			l1, square, inf = l1+math.Abs(v), square+float64(v*v), max(inf, math.Abs(v))
		}
		for _, n := range [][2]float64{{l1, s.L1}, {math.Sqrt(square), s.L2}, {inf, s.LInf}} {
			if n[1] > 0 {
				cost = max(cost, n[0]/n[1])
			}
		}
		return cost
	}, nil
}

func (c DeviceCase) message(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	used := ready.Start()
	size := -1
	prefix := learner.Message{1, 2}
	for i, u := range c.data() {
		x := slices.Clone(u.x)
		m, err := used.Report(broadcasts[0], x, u.y, privacy.NewNoise(source(uint64(i))), slices.Clone(prefix))
		if err != nil {
			fail("x = %v, y = %v is refused: %v: clip it to its bounds", u.x, u.y, err)
			continue
		}
		if !slices.Equal(x, u.x) {
			fail("Report changes the context from %v to %v: copy it first", u.x, x)
		}
		scale(x, math.NaN()) // shows if the device has kept it
		if len(m) < len(prefix) || !slices.Equal(m[:len(prefix)], prefix) {
			fail("Report does not append its message to dst: %v", m)
			return
		}
		m = m[len(prefix):]
		if size >= 0 && len(m) != size {
			fail("the message of x = %v, y = %v has %d numbers, another has %d: lengths tell users apart", u.x, u.y, len(m), size)
		}
		size = len(m)
		if slices.ContainsFunc(m, func(v float64) bool { return !finite(v) }) {
			fail("the message of x = %v, y = %v is %v, want finite numbers", u.x, u.y, m)
		}
		if i%8 != 1 {
			continue
		}
		want, err := send(ready.Start(), broadcasts[0], u, privacy.NewNoise(source(uint64(i))))
		if err != nil || !same(m, want) {
			fail("message %d, of x = %v, y = %v, is another than a new device's under the same noise (%v): keep nothing of the users before", i+1, u.x, u.y, err)
			return
		}
	}
}

func (c DeviceCase) act(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	rng, p := stream(45), c.Problem
	v := bandit.View{Arms: p.Arms, Dim: p.Dim, X: make([]float64, p.Arms*p.Dim)}
	used, quiet := ready.Start(), ready.Start() // quiet sends no message
	for i, u := range c.data() {
		if _, err := send(used, broadcasts[0], u, privacy.NewNoise(source(uint64(i)))); err != nil {
			fail("x = %v, y = %v is refused: %v: clip it to its bounds", u.x, u.y, err)
			return
		}
		v.Round++
		contexts(rng, v.X, p.Dim, p.ContextNorm)
		for j, broadcast := range broadcasts {
			got, err := used.Act(slices.Clone(broadcast), &v)
			want, other := quiet.Act(slices.Clone(broadcast), &v)
			if got != want || (err == nil) != (other == nil) {
				fail("after messages of x = %v, y = %v and of users before, broadcast %d has arm %d played (%v), and arm %d by a device that has sent none (%v): choose by broadcast and view alone",
					u.x, u.y, j, got, err, want, other)
				return
			}
		}
	}
}

func (c DeviceCase) refused(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	d := ready.Start()
	good := make([]float64, c.Problem.Dim)
	bad := []datum{{nil, 0}, {good[1:], 0}, {append(slices.Clone(good), 0), 0}}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad = append(bad, datum{good, v})
		for i := range good {
			x := slices.Clone(good)
			x[i] = v
			bad = append(bad, datum{x, 0})
		}
	}
	for _, u := range bad {
		ledger := privacy.NewLedger(source(42))
		m, err := send(d, broadcasts[0], u, privacy.NewNoise(ledger))
		if err == nil || len(m) > 0 {
			fail("x = %v, y = %v makes the message %v and the error %v, want no message and an error", u.x, u.y, m, err)
		}
		if len(ledger.Drawn()) > 0 {
			fail("x = %v, y = %v is refused, and noise is drawn for it: %v", u.x, u.y, ledger.Drawn())
		}
	}
	for i, broadcast := range broadcasts {
		taken, refused := 0, 0
		for _, u := range c.data() {
			if _, err := send(d, broadcast, u, privacy.NewNoise(source(43))); err != nil {
				refused++
			} else {
				taken++
			}
		}
		if taken > 0 && refused > 0 {
			fail("broadcast %d is refused for some users' data and not for others': an error is a message too", i)
		}
	}
}

// reported is a device that has sent its messages, in the form that a Ledger checks.
type reported struct {
	device   learner.CalibratedDevice
	messages int
}

func (r *reported) Plan(n int) privacy.Plan {
	return privacy.PlanOf(r.device, n).Repeated(r.messages).HeldBy(r)
}

func (c DeviceCase) ledger(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	d, data := ready.Start(), c.data()
	for _, n := range []int{0, 1, 2, 3, len(data)} {
		ledger := privacy.NewLedger(source(44))
		noise := privacy.NewNoise(ledger)
		for _, u := range data[:n] {
			if _, err := send(d, broadcasts[0], u, noise); err != nil {
				fail("x = %v, y = %v is refused: %v: clip it to its bounds", u.x, u.y, err)
				return
			}
		}
		if err := ledger.CheckPlan(&reported{ready, n}, n); err != nil {
			fail("after %d messages: %v", n, err)
		}
		if n > 0 && len(ledger.Drawn()) == 0 {
			fail("%d messages and no noise: draw all of it from the privacy.Noise that Report is given", n)
		}
	}
}

func (c DeviceCase) plan(fail report) {
	d, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	claim := privacy.ClaimOf(d)
	switch {
	case !claim.Held():
		fail("nothing is claimed: %v: return a plan.HeldBy(receiver) in Plan", claim.Event())
	case claim.Scope() != privacy.OneMessage && claim.Model() == privacy.Local:
		fail("the plan covers %v, want %v", claim.Scope(), privacy.OneMessage)
	default:
		if epsilon := claim.Epsilon(); math.IsNaN(epsilon) {
			fail("the plan is worth epsilon = %v: %v", epsilon, claim.Event())
		} else if _, shuffles := d.(learner.ShufflePlanner); !shuffles && claim.Calibration() == privacy.Sound && epsilon > claim.Asked().Epsilon*(1+1e-6) {
			fail("the plan is worth epsilon = %v and %v was asked for: add noise", epsilon, claim.Asked().Epsilon)
		}
	}
}

func (c DeviceCase) accounted(fail report) {
	d, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	if err := privacy.PlanOf(d, privacy.All).Accounted(); err != nil {
		fail("%v", err)
	}
}

// fresh checks that a second message has noise of its own, as large as that of the first, whatever
// the broadcast is.
func (c DeviceCase) fresh(fail report) {
	ready, broadcasts := c.ready(fail)
	if ready == nil {
		return
	}
	for i, broadcast := range broadcasts {
		_, err := send(ready.Start(), broadcast, c.data()[0], (&script{}).noise())
		if err == nil || i == 0 {
			c.freshAfter(fail, ready, broadcast)
		}
	}
}

// freshAfter checks fresh of one broadcast: each number that is drawn for the second message
// changes it as the same number changes the first.
func (c DeviceCase) freshAfter(fail report, ready learner.CalibratedDevice, broadcast []float64) {
	u := c.data()[0]
	two := func(p *pulse) (m [2]learner.Message, draws int, err error) {
		d, n := ready.Start(), p.noise()
		for i := range m {
			if m[i], err = send(d, broadcast, u, n); err != nil {
				return m, draws, err
			}
			if i == 0 {
				draws = len(p.laws)
			}
		}
		return m, draws, nil
	}
	quiet := pulse{draw: -1}
	base, draws, err := two(&quiet)
	if err != nil {
		fail("%v", err)
		return
	}
	if len(quiet.laws) != 2*draws {
		fail("a message has %d draws of noise, and the next one, of the same data, %d", draws, len(quiet.laws)-draws)
		return
	}
	for draw, law := range quiet.laws[:draws] {
		for number := range quiet.wide[draw] {
			var change [2][]float64
			for i := range change {
				m, _, err := two(&pulse{draw: draw + i*draws, number: number, size: 4 * max(1, law.Scale)})
				if err != nil {
					fail("%v", err)
					return
				}
				if len(m[i]) != len(base[i]) || len(m[0]) != len(m[1]) {
					return // messages of other lengths are other checks' business
				}
				change[i] = difference(m[i], base[i])
			}
			for j, v := range change[0] {
				if math.Abs(v-change[1][j]) > 1e-9*max(math.Abs(v), math.Abs(base[0][j]), 1e-300) {
					fail("number %d of draw %d, of %v, moves number %d of a message by %.6g, and of the next one by %.6g: give each message fresh noise",
						number, draw, law, j, v, change[1][j])
					return
				}
			}
		}
	}
}
