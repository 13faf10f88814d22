package pkg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/draw"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// user does with what a subject made what a user would, and writes down what is wrong with it.
type user struct {
	values    []reflect.Value // the subject's arguments
	unchanged bool            // no number of them was replaced
	wrong     []string
}

func (u *user) errorf(format string, args ...any) {
	u.wrong = append(u.wrong, fmt.Sprintf(format, args...))
}

// argument returns the first of the subject's arguments that has a type.
func argument[T any](u *user) (found T, ok bool) {
	for _, v := range u.values {
		if found, ok = v.Interface().(T); ok {
			return found, true
		}
	}
	return found, false
}

// horizon returns the subject's last argument, which is that of a learner.
func (u *user) horizon() int { return int(u.values[len(u.values)-1].Int()) }

// much is more than a case has the time to look at.
const much = 1 << 12

func (u *user) use(made any) {
	rng, source := random.New(1, 0, "harness"), random.Source(1, 0, "harness noise")
	switch m := made.(type) {
	case privacy.Mechanism[privacy.Sums]:
		u.accumulator(m, privacy.NewNoise(source))
	case privacy.Mechanism[privacy.Means]:
		u.tally(m, privacy.NewNoise(source))
	case privacy.Mechanism[episodes.SparseGram]:
		sparseRows(u, m, privacy.NewNoise(source), func(r *episodes.SparseGram) []float64 { return append(r.Gram, r.Cross...) })
	case privacy.Mechanism[episodes.SparseTheta]:
		sparseRows(u, m, privacy.NewNoise(source), func(r *episodes.SparseTheta) []float64 { return r.Theta })
	case privacy.Mechanism[episodes.Support]:
		sparseRows(u, m, privacy.NewNoise(source), func(*episodes.Support) []float64 { return nil })
	case privacy.Mechanism[continual.Total]:
		vectors(u, m, privacy.NewNoise(source))
	case privacy.Mechanism[mechanism.Stopped]:
		s, _ := argument[privacy.Setup](u)
		run := m.Start(privacy.NewNoise(source))
		for i := range min(s.Horizon, 40) {
			if _, err := run.Add(&privacy.Record{Y: []float64{[]float64{1, 1e300, 0, -1e-300, 1e8}[i%5]}}); err != nil {
				u.errorf("number %d: %v", i, err)
			}
			u.number("a release", run.Release().Mean)
		}
	case bandit.Calibrated:
		u.learner(m, rng, source)
	case bandit.World:
		u.environment(m, rng)
	case offpolicy.Estimate:
		u.number("an estimate", m.Value, m.Effective, m.MeanWeight, m.Bias)
		if math.IsNaN(m.SE) || math.IsNaN(m.Low) || math.IsNaN(m.High) || len(m.String()) == 0 {
			u.errorf("%+v", m)
		}
	case learner.CalibratedDevice:
		u.device(m, privacy.NewNoise(source))
	case learner.CalibratedServer:
		run := m.Start(rng)
		u.number("a broadcast", run.Broadcast()...)
		if err := run.Receive(learner.Message{math.NaN()}); err == nil {
			u.errorf("takes in a message of NaN")
		}
	case continual.Nodes:
		s, _ := argument[privacy.Setup](u)
		if s.Dim < much {
			node := make([]float64, s.Dim*(s.Dim+1)/2)
			m.Drawer().Draw(privacy.NewNoise(source), node)
			u.number("noise", node...)
		}
		u.bounds(m.Bounds(m.Shift()))
	case mechanism.Calibrated[mechanism.Secure]:
		run := m.Start(nil)
		record := make([]float64, u.field("Dim"))
		record[0] = 1e308
		run.Add(record)
		if err := run.Release(record); err != nil {
			u.errorf("a release: %v", err)
		}
		u.number("a release", record[:min(len(record), much)]...)
		if err := run.Check(); err != nil {
			u.errorf("%v", err)
		}
	case mechanism.Calibrated[mechanism.Choices]:
		m.Start(privacy.NewNoise(source)).Choose(make([]float64, u.field("Candidates")), nil)
	case mechanism.Calibrated[mechanism.Comparisons]:
		m.Start(privacy.NewNoise(source)).Above(1, 0)
	case mechanism.Calibrated[mechanism.Responses]:
		run := m.Start(privacy.NewNoise(source))
		run.Respond(1)
		u.number("a probability", run.Keep())
	case mechanism.Calibrated[mechanism.Vectors]:
		value := make([]float64, u.field("Dim"))
		value[0] = 1e308
		if err := m.Start(privacy.NewNoise(source)).Release(value, value); err != nil {
			u.errorf("a release: %v", err)
		}
		u.number("a release", value[:min(len(value), much)]...)
	case account.Event:
		u.event(m)
		u.account(reflect.Indirect(reflect.ValueOf(made)).Interface().(account.Event))
	case matroid.Matroid:
		u.matroid(m)
	case online.Calibrated:
		run := m.Start(rng, source)
		gradient := make([]float64, len(run.Predict()))
		for i, g := range []float64{1, 1e300, 0, 1e-300} {
			if _, ends := m.(privacy.Planner); ends && int64(i) == u.values[2].Int() {
				break // beyond the horizon, a private one takes no more
			}
			gradient[0] = g
			if err := run.Update(gradient); err != nil {
				u.errorf("a gradient of %v: %v", g, err)
			}
			u.number("a prediction", run.Predict()...)
		}
	case *online.ExpertsCalibrated:
		run := m.Start(rng, source)
		losses := make([]float64, int(u.values[1].Int()))
		for i := range 8 {
			losses[0] = []float64{0, 1, -1e300, 0.5}[i%4]
			if err := run.Update(losses); err != nil {
				u.errorf("losses of round %d: %v", i, err)
			}
			if a := run.Choose(); a < 0 || a >= len(losses) {
				u.errorf("action %d of %d", a, len(losses))
			}
		}
	case online.Stream:
		u.number("a loss", m.Loss(1, make([]float64, m.Dim())))
	case *lasso.Solver:
		dim := u.field("Dim")
		if dim > much {
			return
		}
		row := make([]float64, dim)
		for i, v := range []float64{1, 1e-300, 0, 1e8, -1e100} {
			row[i%dim] = v
			if err := m.Add(row, 1); err != nil {
				u.errorf("a row with %v: %v", v, err)
			}
			w, err := m.Fit(0.01)
			if err != nil && !errors.Is(err, lasso.ErrNotConverged) {
				u.errorf("a fit: %v", err)
			}
			u.number("a coefficient", w...)
		}
	case *random.Binomial:
		m.Rand(source)
	case *random.DiscreteGaussian:
		m.Rand(source)
		u.number("sigma", m.Sigma(), float64(m.Max()))
	case *random.DiscreteLaplace:
		m.Rand(source)
		u.number("scale", m.Scale(), float64(m.Max()))
	case *random.Wishart:
		w := make([]float64, m.Dim()*(m.Dim()+1)/2)
		m.Rand(random.NewNormals(source), w)
		u.number("a draw", w...)
	case *draw.TruncatedBeta:
		if x := m.Rand(rng); !(x >= m.Lo && x <= m.Hi) {
			u.errorf("a draw of %v, want in [%v, %v]", x, m.Lo, m.Hi)
		}
	case float64:
		if math.IsNaN(m) {
			u.errorf("the result is NaN")
		}
	case fmt.Stringer:
		u.print(m)
	}
	if p, ok := made.(privacy.Planner); ok {
		u.plan(p)
		u.drawn(privacy.PlanOf(p, privacy.All).Draws, privacy.ClaimOf(p))
	}
}

// field returns a number of the description that was opened.
func (u *user) field(name string) int {
	return int(reflect.Indirect(u.values[0]).FieldByName(name).Int())
}

// sparseRows feeds a statistic of rows, some of which are enormous.
func sparseRows[R any](u *user, of privacy.Mechanism[R], noise *privacy.Noise, numbers func(*R) []float64) {
	s, _ := argument[privacy.Setup](u)
	if s.Dim >= much {
		return
	}
	m := of.Start(noise)
	row := make([]float64, s.Dim)
	for i := range min(s.Horizon, 40) {
		row[i%s.Dim] = []float64{1, 1e300, 0, -1e-300, -1e8}[i%5]
		if _, err := m.Add(privacy.Row(row)); err != nil {
			u.errorf("row %d: %v", i, err)
		}
		u.number("a release", numbers(m.Release())...)
	}
}

// vectors feeds a running sum of vectors, some of which are enormous.
func vectors(u *user, of privacy.Mechanism[continual.Total], noise *privacy.Noise) {
	s, _ := argument[privacy.Setup](u)
	if s.Dim >= much {
		return
	}
	m := of.Start(noise)
	x := make([]float64, s.Dim)
	for i := range min(s.Horizon, 40) {
		x[i%s.Dim] = []float64{1, 1e300, 0, -1e-300, -1e8}[i%5]
		if _, err := m.Add(&privacy.Record{X: x}); err != nil {
			u.errorf("vector %d: %v", i, err)
		}
		u.number("a release", m.Release().Of...)
	}
}

// drawn wants counts, and noise under a claim.
func (u *user) drawn(list []privacy.Draws, c privacy.Claim) {
	for _, d := range list {
		if d.Count != 0 {
			u.law(d.Law, c)
		}
		if d.Count < 0 {
			u.errorf("%d draws of %v", d.Count, d.Law)
		}
	}
}

// plan wants plans of so many records that are worth something, or say that they are not, and that
// more records are not worth less.
func (u *user) plan(of privacy.Planner) {
	for _, n := range []int{math.MinInt, -1, 0, 1, 2, 16} {
		if _, same := of.(*planned); same {
			break
		}
		u.event(privacy.PlanOf(of, n).Event())
	}
	p := privacy.PlanOf(of, privacy.All)
	c := p.Claim()
	u.claim(c)
	if math.IsInf(c.Epsilon(), 1) {
		return
	}
	for _, releases := range p.Cases {
		for _, r := range releases {
			for _, law := range r.Laws() {
				u.law(law, c)
			}
			if s := r.Sensitivity; !(s.L1 >= 0 && s.L2 >= 0 && s.LInf >= 0) || r.Times < 0 {
				u.errorf("claims epsilon = %v for %+v", c.Epsilon(), r)
			}
		}
	}
	if testing.Short() && !u.unchanged && c.Accountant() == (account.PLD{}).String() {
		return // each of these takes as long as the claim
	}
	for _, k := range []int{math.MinInt, 0, 1, 3} {
		users, err := p.ForUsers(k)
		if (err == nil) != (k >= 1 && p.Neighbours.Contributions == 1) {
			u.errorf("ForUsers(%d): %v", k, err)
		}
		if err == nil && k > 1 {
			u.atLeast(fmt.Sprintf("%d records of a user", k), users, c)
		}
	}
	if both, err := privacy.Compose(of, p, p); err == nil {
		u.atLeast("twice the plan", both, c)
	}
}

// atLeast wants a plan of more than a claim covers to cost no less. Its delta may be larger.
func (u *user) atLeast(what string, p privacy.Plan, c privacy.Claim) {
	p.Asked.Delta = c.Asked().Delta
	more := p.Claim()
	u.claim(more)
	if !(more.Epsilon() >= c.Epsilon()*(1-1e-9)) {
		u.errorf("%s: epsilon = %v, and once %v", what, more.Epsilon(), c.Epsilon())
	}
}

// number wants numbers that are finite.
func (u *user) number(what string, list ...float64) {
	for i, v := range list {
		if v-v != 0 {
			u.errorf("%s: number %d is %v", what, i, v)
			return
		}
	}
}

// print wants a text without NaN.
func (u *user) print(s any) {
	if text := fmt.Sprint(s); strings.Contains(text, "NaN") {
		u.errorf("prints NaN: %s", text)
	}
}

// claim wants one that promises something, or says that it does not.
func (u *user) claim(c privacy.Claim) {
	text := fmt.Sprint(c)
	switch {
	case !(c.Epsilon() >= 0):
		u.errorf("claims epsilon = %v", c.Epsilon())
	case !math.IsInf(c.Epsilon(), 1):
		u.print(text)
		if err := c.Event().Validate(); err != nil {
			u.errorf("claims epsilon = %v for an event: %v", c.Epsilon(), err)
		}
	}
}

// event wants one that is in order, or exposed and says why.
func (u *user) event(e account.Event) {
	if e == nil {
		return
	}
	if _, exposed := e.(account.Exposed); exposed {
		return
	}
	u.print(e)
	if err := e.Validate(); err != nil {
		u.errorf("an event: %v", err)
	}
}

// account wants no NaN from any accountant.
func (u *user) account(e account.Event) {
	for _, a := range account.Accountants() {
		if _, slow := a.(account.PLD); slow && testing.Short() {
			continue
		} else if slow {
			a = account.PLD{Spacing: 0.05}
		}
		if epsilon, err := a.Epsilon(e, 1e-6); err == nil && !(epsilon >= 0) {
			u.errorf("%v: epsilon = %v", a, epsilon)
		}
		if delta, err := a.Delta(e, 1); err == nil && !(delta >= 0 && delta <= 1) {
			u.errorf("%v: delta = %v", a, delta)
		}
	}
}

// law wants noise under a claim.
func (u *user) law(l privacy.Law, c privacy.Claim) {
	switch l.Kind {
	case "shuffle", "randomised rounding": // these hide nothing by themselves
		return
	}
	finite := !math.IsInf(c.Epsilon(), 1)
	if l.Kind == "randomised response" && !finite { // its scale is epsilon
		return
	}
	if math.IsInf(l.Scale, 0) || math.IsNaN(l.Scale) || finite && !(l.Scale > 0) {
		u.errorf("claims epsilon = %v under %v", c.Epsilon(), l)
	}
}

func (u *user) bounds(b privacy.Bounds) {
	u.number("Bounds, rho_min", b.RhoMin)
	u.number("Bounds, rho_max", b.RhoMax)
	u.number("Bounds, gamma", b.Gamma)
}

func (u *user) accumulator(of privacy.Mechanism[privacy.Sums], n *privacy.Noise) {
	s, _ := argument[privacy.Setup](u)
	a := of.Start(n)
	u.bounds(a.Release().Bounds)
	if s.Dim > 256 {
		return
	}
	row, sum := make([]float64, s.Dim), make([]float64, s.Dim*(s.Dim+1)/2)
	for i, v := range []float64{1, 1e-200, 0, 1e200, 1e308} {
		if i >= s.Horizon {
			break
		}
		for j := range row {
			row[j] = v
		}
		if _, err := a.Add(privacy.Row(row)); err != nil {
			u.errorf("a row of %v: %v", v, err)
		}
		r := a.Release()
		u.bounds(r.Bounds)
		u.number("Least", r.Least)
		r.Read(sum)
		u.number("a release", sum...)
	}
}

func (u *user) tally(of privacy.Mechanism[privacy.Means], n *privacy.Noise) {
	s, _ := argument[privacy.Setup](u)
	t := of.Start(n)
	if s.WarmUp || s.Slots > much || s.Lengths { // lengths would come from a policy's rule
		return
	}
	arms, weights := make([]int, s.Slots), make([]float64, s.Slots)
	for i := range arms {
		arms[i] = i
	}
	for i, v := range []float64{0.5, -1e308, 1e308} {
		if i >= s.Horizon {
			break
		}
		for j := range weights {
			weights[j] = v
		}
		if _, err := t.Add(&privacy.Record{Arms: arms, Y: weights}); err != nil {
			u.errorf("a weight of %v: %v", v, err)
		}
		e := t.Release().Of[0]
		u.number("an estimate", e.Mean, e.Tail.Root, e.Tail.Linear)
	}
}

// view makes contexts of a problem, as long as they may be.
func view(p bandit.Problem, round int, rng *rand.Rand) *bandit.View {
	v := &bandit.View{Round: round, Arms: p.Arms, Dim: p.Dim, X: make([]float64, p.Arms*p.Dim)}
	for i := range v.X {
		v.X[i] = p.ContextNorm * (2*rng.Float64() - 1) / math.Sqrt(float64(p.Dim))
	}
	return v
}

func (u *user) learner(l bandit.Calibrated, rng *rand.Rand, source rand.Source) {
	p, _ := argument[bandit.Problem](u)
	ledger := privacy.NewLedger(source)
	run := l.Start(rng, ledger)
	if p.Arms > 256 || p.Dim > 64 {
		return
	}
	warm := 0
	if w, ok := l.(bandit.Warmer); ok && w.WantsWarmUp() {
		if err := run.(bandit.Warmed).WarmUp(make([]float64, p.Arms)); err != nil {
			u.errorf("round 0: %v", err)
			return
		}
		warm = 1
	}
	y := make([]float64, p.Slots)
	records := min(6, u.horizon())
	for round := 1; round <= records; round++ {
		v := view(p, round, rng)
		arms, err := run.Select(v, nil)
		if err != nil && !errors.Is(err, account.ErrSpent) {
			u.errorf("round %d: Select: %v", round, err)
			return
		}
		if err == nil {
			shown, err := bandit.Explain(run, v, nil)
			if !errors.Is(err, errors.ErrUnsupported) && (err != nil || len(shown) != v.Arms) {
				u.errorf("round %d: Explain shows %d of %d arms: %v", round, len(shown), v.Arms, err)
			}
		}
		for i := range y {
			switch y[i] = p.RewardMin + (p.RewardMax-p.RewardMin)*rng.Float64(); round {
			case 4:
				y[i] = 1e200
			case 5:
				y[i] = -1e308
			}
		}
		if err == nil {
			err = run.Update(v, arms, y[:len(arms)])
		}
		if errors.Is(err, account.ErrSpent) {
			return
		} else if err != nil {
			u.errorf("round %d, reward %v: %v", round, y[0], err)
			return
		}
	}
	if d, ok := run.(privacy.Planner); ok {
		if err := ledger.CheckPlan(d, records+warm); err != nil {
			u.errorf("%v", err)
		}
	}
}

func (u *user) environment(w bandit.World, rng *rand.Rand) {
	p := w.Problem()
	if err := p.Validate(); err != nil {
		u.errorf("%v", err)
		return
	}
	if p.Arms > 1<<17 || p.Dim > 1<<17 {
		return
	}
	e := w.Start(rng)
	var v bandit.View
	for range 3 {
		e.Next(&v)
		u.number("a context", v.X...)
		arms, y := make([]int, p.Slots), make([]float64, p.Slots)
		for i := range arms {
			arms[i] = i
		}
		e.Pull(rng, arms, y)
		u.number("a reward", y...)
		u.number("regret", e.Regret(arms))
	}
}

func (u *user) device(d learner.CalibratedDevice, n *privacy.Noise) {
	p, _ := argument[bandit.Problem](u)
	if p.Dim > 64 {
		return
	}
	if m, ok := d.(learner.ShufflePlanner); ok {
		for _, s := range []learner.Shuffler{nil, learner.Uniform{}, learner.BitSum{}} {
			if shuffled, err := m.ShuffledPlan(s, 4); err == nil {
				c := shuffled.Of(m).Claim()
				u.claim(c)
				u.drawn(privacy.PlanOf(d, privacy.All).Draws, c)
			}
		}
	}
	u.drawn(privacy.PlanOf(d, privacy.All).Draws, privacy.ClaimOf(d))
	switch u.values[0].Interface().(type) {
	case local.CombinerDevice, local.OnlineDevice, local.WeightedDevice:
		return // these read the broadcast of a server
	}
	x, run := make([]float64, p.Dim), d.Start()
	for _, v := range []float64{0.1, 1e-200, 1e200, 1e308} {
		for i := range x {
			x[i] = v
		}
		m, err := run.Report(nil, x, v, n, nil)
		if err != nil {
			u.errorf("a context of %v: %v", v, err)
		}
		u.number("a message", m...)
	}
}

func (u *user) matroid(m matroid.Matroid) {
	if r := m.Rank(); r < 0 || r > m.Size() {
		u.errorf("rank %d of %d elements", r, m.Size())
	}
	if m.Size() > much { // greedy looks for loops in the square of that
		return
	}
	matroid.NewGreedy(m).Basis(make([]float64, m.Size()), nil)
	b := m.NewBuilder()
	for e := range min(m.Size(), 10) {
		b.Add(e)
	}
}
