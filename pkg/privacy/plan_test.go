package privacy

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/amplified"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// shown is the plan of a record that a release shows.
func shown(asked Budget, releases ...Release) Plan {
	return Plan{Neighbours: ReplaceRound, Asked: asked, Cases: [][]Release{releases}}.HeldBy(&holder{"one"})
}

// TestReleaseEvents: the event of each kind of release, against a formula of its own.
func TestReleaseEvents(t *testing.T) {
	b := Budget{1, 1e-5}
	binomial, err := random.NewBinomial(50, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	gaussian, err := random.NewDiscreteGaussian(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	laplace, err := random.NewDiscreteLaplace(9, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		release Release
		want    account.Event
	}{
		"Gaussian":          {Release{Law: GaussianLaw(3, 4), Sensitivity: Norms{L2: 2}}, account.GaussianEvent{Mu: 0.5}},
		"Gaussian, 9 times": {Release{Law: GaussianLaw(3, 4), Sensitivity: Norms{L2: 2}, Times: 9}, account.GaussianEvent{Mu: 1.5}},
		"symmetric":         {Release{Law: SymmetricGaussianLaw(3, 4), Sensitivity: Norms{L2: 1}, Times: 4}, account.GaussianEvent{Mu: 0.5}},
		// A matrix moved by 3 under sd 2, and a vector moved by 4 under sd 5: mu^2 = (3/2)^2 + (4/5)^2.
		"two parts": {Release{Law: SymmetricGaussianLaw(2, 2), Sensitivity: Norms{L2: 3}, Parts: []Part{{GaussianLaw(2, 5), Norms{L2: 4}}}}, account.GaussianEvent{Mu: math.Hypot(1.5, 0.8)}},
		"two parts that do not move most at once": {Release{Law: SymmetricGaussianLaw(2, 2), Sensitivity: Norms{L2: 3}, Parts: []Part{{GaussianLaw(2, 5), Norms{L2: 4}}}, Joint: 1.6},
			account.GaussianEvent{Mu: 1.6}},
		"two parts, Laplace": {Release{Law: LaplaceLaw(1, 200), Sensitivity: Norms{L1: 1}, Parts: []Part{{LaplaceLaw(1, 0.5), Norms{L1: 1}}}, Times: 2}, account.Repeat{Event: account.LaplaceEvent{Epsilon: 1./200 + 2}, Times: 2}},
		"two parts, discrete": {Release{Law: Law{Kind: kindDiscreteGaussian, Dim: 1, Scale: 2}, Sensitivity: Norms{L2: 3}, Parts: []Part{{Law{Kind: kindDiscreteGaussian, Dim: 4, Scale: 8}, Norms{L2: 16}}}},
			account.DiscreteGaussianEvent{Dim: 5, Sensitivity: 5, Sigma: 2}},
		"Laplace":            {Release{Law: LaplaceLaw(3, 4), Sensitivity: Norms{L1: 2, L2: 99, LInf: 99}}, account.LaplaceEvent{Epsilon: 0.5}},
		"Laplace, 3 times":   {Release{Law: LaplaceLaw(3, 4), Sensitivity: Norms{L1: 2}, Times: 3}, account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.5}, Times: 3}},
		"Gumbel":             {Release{Law: GumbelLaw(7, 8), Sensitivity: Norms{LInf: 2}, Times: 5}, account.Repeat{Event: account.ExponentialEvent{Epsilon: 0.5}, Times: 5}},
		"Gumbel, monotone":   {Release{Law: GumbelLaw(7, 8), Sensitivity: Norms{LInf: 2}, Monotone: true}, account.ExponentialEvent{Epsilon: 0.25}},
		"response":           {Release{Law: ResponseLaw(4, 0.5)}, account.ResponseEvent{Epsilon: 0.5, Choices: 4}},
		"response, shuffled": {Release{Law: ResponseLaw(2, 0.5), batch: 1000, by: trust.Order}, account.ShuffleEvent{Local: 0.5, Users: 1000}},
		"discrete Gaussian":  {Release{Law: DiscreteGaussianLaw(3, gaussian), Sensitivity: Norms{L2: 5}}, account.DiscreteGaussianEvent{Dim: 3, Sensitivity: 5, Sigma: 10}},
		"discrete Laplace":   {Release{Law: DiscreteLaplaceLaw(3, laplace), Sensitivity: Norms{L1: 3}, Times: 2}, account.Repeat{Event: account.DiscreteLaplaceEvent{Sensitivity: 3, Scale: 4.5}, Times: 2}},
		"compared":           {Release{Law: LaplaceLaw(1, 8), Threshold: LaplaceLaw(1, 4), Sensitivity: Norms{LInf: 2}, Times: 3}, account.SparseVectorEvent{Epsilon: 2./4 + 2*2./8, Accepted: 3}},
		"compared, monotone": {Release{Law: LaplaceLaw(1, 8), Threshold: LaplaceLaw(1, 4), Sensitivity: Norms{LInf: 2}, Monotone: true}, account.SparseVectorEvent{Epsilon: 2./4 + 2./8, Accepted: 1}},
		"of an unknown law":  {Release{Own: account.LaplaceEvent{Epsilon: 0.3}, Times: 2}, account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.3}, Times: 2}},
		"that shows nothing": {Release{Law: GaussianLaw(1, 1)}, account.GaussianEvent{}},
		"binomial of 40 users": {Release{Law: BinomialLaw(6, binomial), Sensitivity: Norms{L2: 4, LInf: 3}, batch: 40, by: trust.Sum},
			leastTail(t, b.Delta, account.BinomialEvent{Trials: 2000, P: 0.25, Coordinates: 6, Most: 3, Norm: 4})},
	} {
		if got := shown(b, c.release).Event(); !alike(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// leastTail tries three shares of delta for the tails.
func leastTail(t *testing.T, delta float64, e account.BinomialEvent) (best account.BinomialEvent) {
	least := math.Inf(1)
	for _, share := range []float64{1e-2, 1e-3, 1e-4} {
		e.Tail = share * delta
		epsilon := account.GaussianEpsilon((delta-e.Tail)/(1-e.Tail), e.Gaussian())
		if epsilon < least {
			best, least = e, epsilon
		}
	}
	return best
}

// alike compares events to a relative 1e-12.
func alike(a, b account.Event) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return alikeValues(x, y)
}

func alikeValues(x, y reflect.Value) bool {
	if x.Kind() == reflect.Interface {
		x, y = x.Elem(), y.Elem()
	}
	if !x.IsValid() || !y.IsValid() || x.Type() != y.Type() {
		return false
	}
	switch x.Kind() {
	case reflect.Float64:
		return math.Abs(x.Float()-y.Float()) <= 1e-12*math.Abs(y.Float())
	case reflect.Struct:
		for i := range x.NumField() {
			if !alikeValues(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !alikeValues(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	}
	return x.Interface() == y.Interface()
}

// TestShuffledGaussian: amplification where it helps, at a budget that it keeps, and else the
// message's own curve.
func TestShuffledGaussian(t *testing.T) {
	b := Budget{1, 1e-2}
	message := func(mu float64, batch int) Release {
		return Release{Law: GaussianLaw(2, 3), Sensitivity: Norms{L2: 3 * mu}, batch: batch, by: trust.Order}
	}
	mu, err := b.AmplifiedMu(100_000)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := shown(b, message(mu, 100_000)).Event().(account.ApproximateEvent)
	if !ok || e.Delta != b.Delta || e.Epsilon > b.Epsilon || amplified.MixedDelta(e.Epsilon, mu, 100_000) > b.Delta*(1+1e-6) {
		t.Errorf("shuffled among 100,000: %v, want amplified to at most %v", e, b)
	}
	if !(account.GaussianEpsilon(b.Delta, mu) > 1.5*b.Epsilon) {
		t.Errorf("mu = %v is not one that amplification is needed for", mu)
	}
	// Noise that gives epsilon = 0 is claimed at a positive epsilon: one that was asked for, or one
	// that is next to nothing.
	for _, asked := range []Budget{{1e-160, 1e-2}, {1, 1e-2}} {
		mu, err := Budget{1e-160, 1e-2}.AmplifiedMu(100_000)
		if err != nil || amplified.MixedEpsilon(asked.Delta, mu, 100_000) != 0 || !(account.GaussianEpsilon(asked.Delta, mu) > 0) {
			t.Fatalf("mu = %v is not one that has epsilon = 0 among 100,000 (%v)", mu, err)
		}
		e, ok := shown(asked, message(mu, 100_000)).Event().(account.ApproximateEvent)
		if !ok || e.Validate() != nil || e.Epsilon > min(asked.Epsilon, 1e-8) || e.Delta != asked.Delta {
			t.Errorf("%v: %v, want a valid event of next to no epsilon", asked, e)
		}
	}
	for _, p := range []Plan{shown(b, message(mu, 2)), shown(Budget{1, 0}, message(mu, 100_000)), shown(b, message(mu, 1))} {
		if e := p.Event(); !alike(e, account.GaussianEvent{Mu: mu}) {
			t.Errorf("%v: %v, want the message's own mu = %v", p.Asked, e, mu)
		}
	}
}

// TestWishartEvent: Theorem 23 for what a node spends, at a split of delta that no other is better
// than by the theorem of optimal composition.
func TestWishartEvent(t *testing.T) {
	const nodes, dim, freedom = 6, 3, 50_000
	w, err := random.NewWishart(dim, dim+freedom, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := Budget{1, 1e-3}
	release := Release{Law: WishartLaw(w), Sensitivity: Norms{L2: 2}, Times: nodes}
	e, ok := shown(b, release).Event().(account.WishartEvent)
	if !ok || e.Nodes != nodes {
		t.Fatalf("%v, want %d nodes of Wishart noise", e, nodes)
	}
	near(t, "epsilon of a node", e.Epsilon, math.Sqrt(28*math.Log(4/e.Delta)/freedom), 1e-12)
	composed := func(delta float64) float64 {
		return account.OptimalEpsilon(math.Sqrt(28*math.Log(4/delta)/freedom), delta, nodes, b.Delta)
	}
	for share := 0.02; share < 0.99; share += 0.01 {
		if delta := share * b.Delta / nodes; composed(delta) < composed(e.Delta)*(1-1e-9) {
			t.Errorf("a node's delta of %v is better than %v", delta, e.Delta)
		}
	}
	release.Sensitivity.L2 = 2.1
	if e := shown(b, release).Event(); e.Validate() == nil || !strings.Contains(e.String(), "2.1") {
		t.Errorf("a row beyond the scale: %v", e)
	}
	small, err := random.NewWishart(dim, dim+20, 2)
	if err != nil {
		t.Fatal(err)
	}
	release = Release{Law: WishartLaw(small), Sensitivity: Norms{L2: 2}}
	if e := shown(b, release).Event(); e.Validate() == nil || !strings.Contains(e.String(), "want < 1") {
		t.Errorf("20 degrees of freedom: %v, want it refused", e)
	}
}

// TestExposed: what hides nothing has an epsilon of +Inf, whatever else is released.
func TestExposed(t *testing.T) {
	good := Release{Law: GaussianLaw(1, 1), Sensitivity: Norms{L2: 0.1}}
	for name, bad := range map[string]Release{
		"none":                {},
		"scale 0":             {Law: GaussianLaw(1, 0)},
		"scale 0, second":     {Law: GaussianLaw(1, 1), Parts: []Part{{Law: GaussianLaw(1, 0)}}},
		"bits as parts":       {Law: ResponseLaw(2, 0.1), Parts: []Part{{Law: ResponseLaw(2, 5)}}},
		"maxima as parts":     {Law: GumbelLaw(5, 200), Sensitivity: Norms{LInf: 1}, Parts: []Part{{GumbelLaw(5, 0.2), Norms{LInf: 1}}}},
		"binomials as parts":  {Law: Law{kindBinomial, 1, 0.5, 4000}, Sensitivity: Norms{1, 1, 1}, Parts: []Part{{Law{kindBinomial, 1, 0.5, 40}, Norms{1, 1, 1}}}},
		"two kinds":           {Law: GaussianLaw(1, 1), Sensitivity: Norms{1, 1, 1}, Parts: []Part{{LaplaceLaw(1, 1), Norms{1, 1, 1}}}},
		"NaN in a part":       {Law: GaussianLaw(1, 1), Parts: []Part{{GaussianLaw(1, 1), Norms{L2: math.NaN()}}}},
		"joint, of one part":  {Law: GaussianLaw(1, 1), Sensitivity: Norms{L2: 2}, Joint: 1},
		"joint below a part":  {Law: GaussianLaw(1, 1), Sensitivity: Norms{L2: 2}, Parts: []Part{{GaussianLaw(1, 1), Norms{L2: 3}}}, Joint: 2.9},
		"joint, NaN":          {Law: GaussianLaw(1, 1), Sensitivity: Norms{L2: 2}, Joint: math.NaN()},
		"joint maxima":        {Law: GumbelLaw(5, 1), Sensitivity: Norms{LInf: 1}, Joint: 0.1},
		"infinite":            {Law: ResponseLaw(2, math.Inf(1))},
		"NaN":                 {Law: GaussianLaw(1, math.NaN())},
		"NaN sensitivity":     {Law: GaussianLaw(1, 1), Sensitivity: Norms{L2: math.NaN()}},
		"negative":            {Law: LaplaceLaw(1, 1), Sensitivity: Norms{L1: -1}},
		"rounding":            {Law: RoundLaw(2)},
		"shuffle":             {Law: ShuffleLaw(2)},
		"unknown":             {Law: Law{Kind: "Cauchy", Dim: 1, Scale: 1}},
		"Gaussian comparison": {Law: GaussianLaw(1, 1), Threshold: GaussianLaw(1, 1), Sensitivity: Norms{LInf: 1}},
		"an event of its own": {Own: account.LaplaceEvent{Epsilon: -1}},
	} {
		for _, p := range []Plan{shown(Budget{1, 1e-5}, bad, good), {Neighbours: ReplaceRound, Cases: [][]Release{{good}, {bad}}}} {
			p = p.HeldBy(&holder{})
			if c := p.Claim(); !math.IsInf(c.Epsilon(), 1) || c.Event().Validate() == nil {
				t.Errorf("%s: %v is worth %v", name, c.Event(), c.Epsilon())
			}
			if users, err := p.ForUsers(3); err != nil || !math.IsInf(users.Claim().Epsilon(), 1) {
				t.Errorf("%s, for users: %v", name, err)
			}
		}
	}
	nobody := shown(Budget{1, 1e-5}, good)
	nobody.Neighbours.Record = ""
	if !math.IsInf(nobody.Claim().Epsilon(), 1) {
		t.Error("a plan that protects no neighbours claims privacy")
	}
}

// TestSequences: Gaussian releases of a case become one, others stay beside it, and a record is in
// one case.
func TestSequences(t *testing.T) {
	gaussian := func(mu float64) Release {
		return Release{Law: GaussianLaw(1, 2), Sensitivity: Norms{L2: 2 * mu}}
	}
	laplace := Release{Law: LaplaceLaw(1, 10), Sensitivity: Norms{L1: 1}}
	p := shown(Budget{1, 1e-5}, gaussian(0.3), laplace, gaussian(0.4))
	if e := p.Event(); !alike(e, account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, account.GaussianEvent{Mu: 0.5}}) {
		t.Errorf("%v", e)
	}
	p.Cases = [][]Release{{gaussian(0.3)}, {laplace}, {gaussian(0.3)}}
	if e := p.Event(); !alike(e, account.Parallel{account.GaussianEvent{Mu: 0.3}, account.LaplaceEvent{Epsilon: 0.1}}) {
		t.Errorf("%v", e)
	}
	if e := p.With(laplace).Event(); !alike(e, account.Parallel{account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, account.GaussianEvent{Mu: 0.3}}, account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, account.LaplaceEvent{Epsilon: 0.1}}}) || len(p.Cases[0]) != 1 {
		t.Errorf("%v", e)
	}
	if e := shown(Budget{1, 1e-5}).Event(); e != (account.GaussianEvent{}) {
		t.Errorf("nothing released: %v", e)
	}
}

// TestHandMadeClaims: a claim that no plan made claims nothing, and says so.
func TestHandMadeClaims(t *testing.T) {
	for name, c := range map[string]Claim{
		"zero": {}, "of no plan": Plan{}.Claim(), "without a plan": NoPlan("the sums are as they are").Claim(),
		"held by nobody": gaussianPlan(0.1).HeldBy(nil).Claim(), "of no planner": ClaimOf(3), "of nil": ClaimOf(nil),
	} {
		if c.Held() || !math.IsInf(c.Epsilon(), 1) || !math.IsInf(c.Proved().Epsilon, 1) || c.Event().Validate() == nil || !strings.HasPrefix(c.String(), "claim       none: ") {
			t.Errorf("%s: held %v, epsilon = %v, %v:\n%v", name, c.Held(), c.Epsilon(), c.Event(), c)
		}
	}
	if s := ClaimOf(planner{}).String(); !strings.Contains(s, "a pointer to it has") {
		t.Errorf("a value whose pointer has a plan: %s", s)
	}
}

// planner has a plan, and draws what it says, or with less a tenth of it, and says so.
type planner struct {
	less  bool
	drawn int
}

func (p *planner) Plan(int) Plan {
	plan := shown(Budget{1, 0}, Release{Law: LaplaceLaw(1, 5), Sensitivity: Norms{L1: 5}})
	plan.Draws = []Draws{{LaplaceLaw(1, p.scale()), p.drawn}}
	return plan.HeldBy(p)
}

func (p *planner) draw(n *Noise) {
	n.Laplace(make([]float64, 1), p.scale())
	p.drawn++
}

func (p *planner) scale() float64 {
	if p.less {
		return 0.5
	}
	return 5
}

// renamed has planner's methods, and not its plan.
type renamed struct{ *planner }

// boxed is a plan's holder that can be compared only as long as what is in it can.
type boxed struct{ in any }

func (b boxed) Plan(int) Plan { return shown(Budget{1, 0}).HeldBy(b) }

// TestOwn: whoever embeds a planner does not hold its plan.
func TestOwn(t *testing.T) {
	p := &planner{}
	if !PlanOf(p, 1).Held() || ClaimOf(p).Epsilon() != 1 {
		t.Errorf("its own plan: %v", ClaimOf(p))
	}
	for name, x := range map[string]any{"embedded": renamed{p}, "pointer": &renamed{p}, "another": struct{ Planner }{p}} {
		if c := ClaimOf(x); c.Held() || !math.IsInf(c.Epsilon(), 1) || !strings.Contains(c.String(), "does not hold it") {
			t.Errorf("%s: claims\n%v", name, c)
		}
	}
	if p.Plan(1).Of(&planner{}).Held() || p.Plan(1).Of(nil).Held() {
		t.Error("another of the same type holds the plan")
	}
	if !ClaimOf(boxed{1}).Held() || ClaimOf(boxed{[]int{1}}).Held() {
		t.Error("a value holds a plan if it can be compared")
	}
}

// TestCheckPlan: noise that is less than the plan's is found even where the type says truly what it
// draws.
func TestCheckPlan(t *testing.T) {
	for _, less := range []bool{false, true} {
		p, l := &planner{less: less}, NewLedger(rand.NewPCG(1, 2))
		for range 3 {
			p.draw(NewNoise(l))
		}
		if err := l.Check(p.Plan(All).Draws); err != nil {
			t.Errorf("less %v: %v", less, err)
		}
		err := l.CheckPlan(p, 3)
		if errors.Is(err, ErrLedger) != less || less && !strings.Contains(err.Error(), "scale 0.5") {
			t.Errorf("less %v: %v", less, err)
		}
		if err := l.CheckPlan(renamed{p}, 3); err != nil { // claims nothing
			t.Errorf("without a plan, less %v: %v", less, err)
		}
		NewNoise(l).Shuffle([]int{0, 1})
		if err := l.CheckPlan(&withShuffle{p}, 3); errors.Is(err, ErrLedger) != less {
			t.Errorf("with a shuffle, less %v: %v", less, err)
		}
	}
}

// selector releases a selection under Gumbel noise and then numbers under Gaussian noise, or leaves
// some of that noise out. From its second record on it releases a sum, too.
type selector struct {
	gumbel, gaussian, laplace int // numbers in a draw; 0 means none
	optional                  bool
	draws                     []Draws
}

func (s *selector) run(n *Noise) {
	s.draws = nil
	draw := func(dim int, law Law, draw func([]float64, float64)) {
		if law.Dim = dim; dim > 0 {
			draw(make([]float64, dim), law.Scale)
			s.draws = append(s.draws, Draws{law, 1})
		}
	}
	draw(s.gumbel, GumbelLaw(0, 2), n.Gumbel)
	draw(s.gaussian, GaussianLaw(0, 3), n.Gaussian)
	draw(s.laplace, LaplaceLaw(0, 4), n.Laplace)
}

func (s *selector) Plan(records int) Plan {
	p := shown(Budget{1, 1e-5}, Release{Law: GumbelLaw(5, 2), Sensitivity: Norms{LInf: 1}},
		Release{Law: GaussianLaw(3, 3), Sensitivity: Norms{L2: 1}, Optional: s.optional})
	if records > 1 {
		p.Cases[0] = append(p.Cases[0], Release{Law: LaplaceLaw(1, 4), Sensitivity: Norms{L1: 1}})
	}
	p.Draws = s.draws
	return p.HeldBy(s)
}

// TestCheckPlanWhole: draws that a type lists as it makes them are not enough if they leave out
// some of the noise of its plan.
func TestCheckPlanWhole(t *testing.T) {
	for _, c := range []struct {
		s       selector
		records int
		words   string // of the error; empty means none
	}{
		{selector{gumbel: 5, gaussian: 3, laplace: 1}, 2, ""},
		{selector{gumbel: 5, gaussian: 4, laplace: 2}, 2, ""}, // more than is released
		{selector{gumbel: 5, gaussian: 3}, 1, ""},             // the sum comes later
		{selector{gumbel: 5, gaussian: 3}, 2, "not Laplace"},
		{selector{gumbel: 5, gaussian: 3}, All, "not Laplace"},
		{selector{gumbel: 5}, 1, "not Gaussian"},
		{selector{gaussian: 3}, 1, "not Gumbel"},
		{selector{gumbel: 5, gaussian: 2}, 1, "Gaussian of dimension 2, scale 3 is the noise of no release"},
		{selector{gumbel: 1, gaussian: 3}, 1, "Gumbel of dimension 1, scale 2 is the noise of no release"},
		{selector{gumbel: 5, optional: true}, 1, ""},
		{selector{gumbel: 5, gaussian: 2, optional: true}, 1, ""},
		{selector{gaussian: 3, optional: true}, 1, "not Gumbel"},
		{selector{}, 2, ""}, // nothing was released
	} {
		l := NewLedger(rand.NewPCG(1, 2))
		c.s.run(NewNoise(l))
		err := l.CheckPlan(&c.s, c.records)
		if c.words == "" && err != nil || c.words != "" && (!errors.Is(err, ErrLedger) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%+v, %d records: %v, want an error that says %q", c.s, c.records, err, c.words)
		}
	}
}

// withShuffle shuffles beside, which no plan needs to know.
type withShuffle struct{ *planner }

func (w *withShuffle) Plan(records int) Plan {
	p := w.planner.Plan(records)
	p.Draws = append(p.Draws, Draws{ShuffleLaw(2), 1})
	return p.HeldBy(w)
}

// TestTimesCounted: releases and draws are counted apart, in a plan of its own.
func TestTimesCounted(t *testing.T) {
	once := Release{Law: LaplaceLaw(1, 2), Sensitivity: Norms{L1: 1}}
	thrice := once
	thrice.Times = 3
	p := shown(Budget{1, 0}, once).With(thrice)
	for n, want := range map[int]float64{-1: 0, 0: 0, 1: 0.5 * 4, 2: 0.5 * 8} {
		got := p.Times(n).HeldBy(t)
		if epsilon := got.Claim().Epsilon(); math.Abs(epsilon-want) > 1e-12 {
			t.Errorf("%d times: epsilon = %v, want %v", n, epsilon, want)
		}
		if len(got.Draws) != len(p.Draws) {
			t.Errorf("%d times: draws %v, want %v", n, got.Draws, p.Draws)
		}
	}
	counted := p.Counted(make([]int, len(p.Draws))...)
	if last := len(p.Draws) - 1; counted.Draws[last].Count != 0 || p.Draws[last].Count != 1 || p.Cases[0][1].Times != 3 {
		t.Errorf("draws %v after %v, releases %v", counted.Draws, p.Draws, p.Cases)
	}
	for _, n := range []int{0, len(p.Draws) - 1, len(p.Draws) + 1} {
		if got := p.Counted(make([]int, n)...).HeldBy(t); got.Held() || !math.IsInf(got.Claim().Epsilon(), 1) {
			t.Errorf("%d counts for %d draws: the plan claims %v", n, len(p.Draws), got.Claim())
		}
	}
	if got := (Plan{}).Counted(1, 2).HeldBy(t); got.Held() || got.Draws != nil {
		t.Errorf("counts without a plan: %+v", got)
	}
}
