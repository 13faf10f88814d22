package privacy

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Plan lists the noisy releases that one record can move. Every statement about privacy is computed
// from it: the event, the claim, and what a part of a run has spent.
//
// A mechanism, device or learner returns its plan from a method Plan, and claims it there as its
// own with HeldBy. PlanOf checks the holder: a type that embeds a private learner inherits its
// methods, but not its claim.
//
// A plan is about what is released. A saved run (package snapshot) is no release: it holds the raw
// data and the noise, and no plan covers it. Its plan has a condition that says what two copies
// cost.
type Plan struct {
	Model       Model
	Neighbours  Neighbours
	Scope       Scope
	Calibration Calibration
	Asked       Budget // what the noise is calibrated for

	// Cases lists the possible places of a record in the data, for which the worst counts. A case
	// lists all releases that show the record. Which case a record is in is known before anything is
	// released.
	Cases      [][]Release
	Conditions []string // what else must hold for the claim, such as where records are clipped
	Source     string   // paper and theorem

	// Draws lists the noise that the run must have drawn so far, for a Ledger to check. It has laws
	// of the releases, with counts that follow from public numbers such as how many records came. The
	// plan of a part that is used many times over, a device or a tree's noise, lists the draws of one
	// message or node. The list is the same for any number of records that Plan is asked about; nil
	// means that the plan does not say.
	Draws []Draws

	holder any
	none   string // why there is no plan, if holder is nil
	group  int    // the largest number of records of a user, by group privacy; 0 means 1
	secure bool   // set by Secured
	origin origin
}

// Planner returns the plan of what it releases. Mechanisms, devices and learners are Planners once
// they are initialised.
type Planner interface {
	// Plan returns the plan of the releases after a number of records; All means a whole run. It
	// depends on public numbers alone.
	Plan(records int) Plan
}

// All is the number of records that asks for the plan of a whole run.
const All = math.MaxInt

// Scope is the set of outputs that a claim covers.
type Scope int

// The scopes of the toolkit.
const (
	AllOutputs   Scope = iota // all outputs
	OtherOutputs              // all but the action in the record's own round: joint privacy
	OneMessage                // the message that a user's device sends
	OwnAction                 // the action in the record's own round alone
)

func (s Scope) String() string {
	switch s {
	case AllOutputs:
		return "all outputs"
	case OtherOutputs:
		return "all outputs but the action in the record's own round"
	case OneMessage:
		return "the message of one user"
	case OwnAction:
		return "the action in the record's own round, given what came before"
	}
	return fmt.Sprintf("Scope(%d)", int(s))
}

// Release is a vector of numbers that one record can move, under noise of one law. What is released
// under noise of another kind is another release of the same case.
type Release struct {
	Law         Law   // of the noise; of a comparison, the queries'
	Sensitivity Norms // of the release, or of its part under Law
	// Parts lists further numbers of the same vector, each under noise of its own scale. They are for
	// Gaussian noise, symmetric or not, discrete Gaussian and Laplace noise, and of Law's kind.
	Parts []Part
	// Joint bounds how far one record moves the whole vector after each number has been divided by the
	// scale of its noise. The norm is L1 under Laplace noise and L2 otherwise. Set it if no record can
	// move all parts by their most at once; 0 means that one can.
	Joint float64
	Times int // number of such releases that show the record; 0 means 1
	// Threshold is the noise of a threshold with which noisy queries are compared; then only the
	// comparisons are released. The zero value means that there is no threshold.
	Threshold Law
	Monotone  bool // a record moves all queries, or all scores, in the same direction
	// Optional: earlier releases decide whether this one is made, and how many numbers it has, at most
	// those of its laws.
	Optional bool
	// Own is the event of a release whose law this package does not know, or does not cost what a
	// vector under it costs, as a noisy maximum under Laplace noise. Leave it nil otherwise.
	Own account.Event

	batch int // messages that Mixed found to be shuffled, or added up, together; 0 means 1
	by    trust.Batch
}

// Part is a part of a release: numbers under one law.
type Part struct {
	Law         Law
	Sensitivity Norms
}

// Norms are bounds on the change of a release when one record is replaced, in three norms. Each law
// uses one or two of them: Gaussian noise L2, Laplace noise L1, Gumbel noise and comparisons LInf,
// binomial noise L2 and LInf.
//
// A symmetric matrix under a symmetric law counts each entry off the diagonal once and each entry
// on it by half: L2 is its Frobenius norm over sqrt(2).
type Norms struct{ L1, L2, LInf float64 }

// HeldBy returns the plan as x's own: x holds it. Call it in x's method Plan, with the receiver.
//
// The plan is a copy, so that whoever changes it changes nothing that x says later. A plan without
// releases and without a valid Asked budget becomes no plan: x was not initialised.
func (p Plan) HeldBy(x any) Plan {
	p = p.copied()
	p.holder = x
	p.origin = p.origin.heldBy(x)
	if err := p.Asked.Validate(); err != nil && len(p.Cases) == 0 && p.none == "" {
		p.none = fmt.Sprintf("a %T without releases and a budget has no plan: was it initialised? (%v)", x, err)
	}
	if p.none != "" {
		p.holder = nil
	}
	return p
}

// copied returns the plan with lists of its own.
func (p Plan) copied() Plan {
	p.Cases, p.Conditions, p.Draws = slices.Clone(p.Cases), slices.Clone(p.Conditions), slices.Clone(p.Draws)
	for i, c := range p.Cases {
		p.Cases[i] = slices.Clone(c)
		for j := range c {
			p.Cases[i][j].Parts = slices.Clone(c[j].Parts)
		}
	}
	return p
}

// NoPlan returns a plan that claims nothing, with the reason, and lists no draws.
func NoPlan(format string, args ...any) Plan {
	return Plan{none: fmt.Sprintf(format, args...), Draws: []Draws{}}
}

// PlanOf returns x's own plan for a number of records. The plan claims nothing if x has none, or
// inherits one from a value that it embeds.
func PlanOf(x any, records int) Plan {
	planner, ok := x.(Planner)
	if !ok {
		if x != nil && reflect.PointerTo(reflect.TypeOf(x)).Implements(reflect.TypeFor[Planner]()) {
			return NoPlan("a %T has no plan, a pointer to it has", x)
		}
		return NoPlan("a %T has no plan", x)
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return NoPlan("a %T that is nil has no plan", x)
	}
	return planner.Plan(records).Of(x)
}

// Of returns the plan if x holds it, and otherwise one that claims nothing and lists the same
// draws.
func (p Plan) Of(x any) Plan {
	switch {
	case p.holder == nil:
		p = Plan{none: p.why(), Draws: p.Draws}
	case !reflect.ValueOf(x).Comparable() || p.holder != x:
		p = Plan{none: fmt.Sprintf("a %T has its plan from a %T, and does not hold it", x, p.holder), Draws: p.Draws}
	}
	return p
}

// ClaimOf returns what x claims for a whole run. If x has no plan of its own the claim is empty,
// with an epsilon of +Inf.
func ClaimOf(x any) Claim { return PlanOf(x, All).Claim() }

func (p Plan) why() string {
	if p.none == "" {
		return "nobody holds the plan"
	}
	return p.none
}

// Held reports whether somebody holds the plan; if not, it claims nothing.
func (p Plan) Held() bool { return p.holder != nil }

// Claim returns the guarantee that the plan gives, at the delta that was asked for.
func (p Plan) Claim() Claim { return Claim{p.copied(), &proof{}} }

// same reports that two events are deeply equal.
func same(e, f account.Event) bool {
	switch e := e.(type) {
	case account.Sequence:
		f, ok := f.(account.Sequence)
		return ok && slices.EqualFunc(e, f, same)
	case account.Repeat:
		f, ok := f.(account.Repeat)
		return ok && e.Times == f.Times && same(e.Event, f.Event)
	case account.GaussianEvent, account.LaplaceEvent, account.ExponentialEvent, account.ResponseEvent:
		return e == f
	}
	return reflect.DeepEqual(e, f)
}

// Event returns the releases that show one record as an event, for the record that they cost most.
// It is Exposed if nobody holds the plan, if it protects no neighbours or asks for no budget, or if
// there is no noise.
func (p Plan) Event() account.Event {
	if p.holder == nil {
		return account.Exposed{Why: p.why()}
	}
	if err := p.Neighbours.Validate(); err != nil {
		return account.Exposed{Why: err.Error()}
	}
	if !(p.Asked.Epsilon >= 0 && p.Asked.Delta >= 0) {
		return account.Exposed{Why: fmt.Sprintf("a plan for %v", p.Asked)}
	}
	var cases []account.Event
	for _, releases := range p.Cases {
		e := p.sequence(releases)
		if e, bare := e.(account.Exposed); bare {
			return e
		}
		if !slices.ContainsFunc(cases, func(f account.Event) bool { return same(e, f) }) {
			cases = append(cases, e)
		}
	}
	var event account.Event
	switch len(cases) {
	case 0:
		event = account.GaussianEvent{}
	case 1:
		event = cases[0]
	default:
		event = account.Parallel(cases)
	}
	if p.group > 1 {
		return account.GroupEvent{Event: event, Contributions: p.group}
	}
	return event
}

// sequence composes the releases of a case. It merges Gaussian ones into one event. As a shuffler
// moves a message as a whole, it amplifies responses together, and no other release of several.
func (p Plan) sequence(releases []Release) account.Event {
	var mu float64
	var all []account.Event
	if e, ok := p.together(releases); ok {
		if err := e.Validate(); err != nil {
			return account.Exposed{Why: err.Error()}
		}
		return e
	}
	for _, r := range releases {
		if len(releases) > 1 && r.by == trust.Order {
			r.by = trust.Batch{}
		}
		e, err := r.event(p.Asked)
		if err != nil {
			return account.Exposed{Why: err.Error()}
		}
		if g, ok := e.(account.GaussianEvent); ok {
			mu = portable.Hypot(mu, g.Mu)
		} else {
			all = append(all, e)
		}
	}
	if mu > 0 || len(all) == 0 {
		all = append(all, account.GaussianEvent{Mu: mu})
	}
	if len(all) == 1 {
		return all[0]
	}
	return account.Sequence(all)
}

// together returns the event of a message that is made of responses alone, in a shuffled batch: its
// local epsilon is the sum of theirs.
func (p Plan) together(releases []Release) (e account.ShuffleEvent, ok bool) {
	for _, r := range releases {
		if r.Law.Kind != kindResponse || r.by != trust.Order || r.batch < 2 || r.Own != nil || len(r.Laws()) > 1 {
			return e, false
		}
		if _, err := r.event(p.Asked); err != nil { // whoever composes the releases says why
			return e, false
		}
		e.Users = r.batch
		e.Local += float64(float64(r.times()) * r.Law.Scale)
	}
	return e, len(releases) > 0
}

// ForUsers returns the plan for users with at most k records each, k >= 1, by group privacy.
func (p Plan) ForUsers(k int) (Plan, error) {
	switch {
	case k < 1:
		return p, fmt.Errorf("privacy: a user with k = %d records, want k >= 1", k)
	case p.holder == nil:
		return p, fmt.Errorf("privacy: %s", p.why())
	case p.Neighbours.Contributions > 1:
		return p, fmt.Errorf("privacy: the plan is for users with up to %d records already", p.Neighbours.Contributions)
	}
	p.Neighbours.Contributions, p.group = k, k
	return p, nil
}

// ErrDisagree marks the error for plans that cannot be composed because they promise different
// things.
var ErrDisagree = errors.New("plans disagree")

// Compose returns the plan of several mechanisms that see the same records. Each mechanism may be
// chosen by what the ones before it released.
//
// The holder holds the plan, which asks for the sum of the budgets. It is an error if models,
// neighbours or scopes differ: no single statement would be true of all.
func Compose(holder any, plans ...Plan) (Plan, error) {
	if len(plans) == 0 {
		return Plan{}, errors.New("privacy: no plans to compose")
	}
	sum := plans[0]
	sum.Asked, sum.Cases, sum.Conditions, sum.Draws = Budget{}, [][]Release{nil}, nil, nil
	var sources []string
	for i, p := range plans {
		switch {
		case p.holder == nil:
			return Plan{}, fmt.Errorf("privacy: plan %d: %s", i, p.why())
		case p.Model != sum.Model || p.Neighbours != sum.Neighbours || p.Scope != sum.Scope || p.group != sum.group:
			return Plan{}, fmt.Errorf("privacy: %w: plan 0 is %s, plan %d is %s", ErrDisagree, plans[0].promise(), i, p.promise())
		}
		if p.Calibration != Sound {
			sum.Calibration = p.Calibration
		}
		sum.secure, sum.origin = sum.secure && p.secure, sum.origin.with(p.origin)
		sum.Asked.Epsilon += p.Asked.Epsilon
		sum.Asked.Delta += p.Asked.Delta
		if n := len(sum.Cases) * max(1, len(p.Cases)); n > mostCases {
			return Plan{}, fmt.Errorf("privacy: plans 0 to %d have %d worst cases together, want <= %d", i, n, mostCases)
		}
		sum.Cases = crossed(sum.Cases, p.Cases)
		sum.Draws = append(sum.Draws, p.Draws...)
		for _, c := range p.Conditions {
			if !slices.Contains(sum.Conditions, c) {
				sum.Conditions = append(sum.Conditions, c)
			}
		}
		if !slices.Contains(sources, p.Source) {
			sources = append(sources, p.Source)
		}
	}
	sum.Source = strings.Join(sources, "; ")
	return sum.HeldBy(holder), sum.Asked.Validate()
}

// mostCases bounds the cases of a composition, which is a product.
const mostCases = 1 << 12

// crossed returns each case of a joined to each case of b: a record's places in two mechanisms may
// be any pair.
func crossed(a, b [][]Release) (all [][]Release) {
	if len(b) == 0 {
		return a
	}
	for _, x := range a {
		for _, y := range b {
			all = append(all, append(slices.Clone(x), y...))
		}
	}
	return all
}

// With returns the plan with r added to each case, as another release of the same record, and with
// one draw of each of its laws. Whatever the noise of the others, r's counts as seeded.
func (p Plan) With(r Release) Plan {
	if len(p.Cases) == 0 {
		p.Cases = [][]Release{nil}
	}
	p.Cases, p.Draws, p.secure = crossed(p.Cases, [][]Release{{r}}), slices.Clone(p.Draws), false
	for _, law := range r.Laws() {
		p.Draws = append(p.Draws, Draws{law, 1})
	}
	return p
}

// Secure reports whether the noise of the releases is fit for deployment: from discrete samplers
// over the operating system's randomness. Otherwise it is for research: floating point, of which
// low bits leak, and seeded, so that runs can be repeated.
func (p Plan) Secure() bool { return p.secure }

// Secured returns the plan as one of noise that is fit for deployment. Only mechanisms of this
// module can say so.
func (p Plan) Secured(by trust.System) Plan {
	if by == trust.Discrete {
		p.secure = true
	}
	return p
}

// Mixed returns the plan of messages of which a shuffler of this module mixes batches of n, n >= 1.
// It grants what by says, and claims nothing where that is not known.
func (p Plan) Mixed(by trust.Batch, n int) Plan {
	if n < 1 || by != trust.Order && by != trust.Sum {
		return NoPlan("batches of %d messages of which nobody known mixes any", n)
	}
	p = p.copied()
	for _, c := range p.Cases {
		for i := range c {
			c[i].by, c[i].batch = by, n
		}
	}
	return p
}

// Accounted returns an error if Draws has more draws of a law than the releases of any case show.
// It is for the plan of a message, all of whose noise is in the message.
func (p Plan) Accounted() error {
	drawn := map[Law]int{}
	for _, d := range p.Draws {
		drawn[d.Law] += d.Count
	}
	for _, d := range p.Draws {
		law, n, most := d.Law, drawn[d.Law], 0
		for _, c := range p.Cases {
			shown := 0
			for _, r := range c {
				for _, of := range r.Laws() {
					if r.drawnBy(of, law) {
						shown += r.times()
					}
				}
			}
			most = max(most, shown)
		}
		if law.Scale > 0 && n > most {
			return fmt.Errorf("privacy: %w: %d draws of %v in a message, and its plan has releases of %d", ErrLedger, n, law, most)
		}
	}
	return nil
}

// Batch returns how many messages Mixed says are mixed with the record's own: the most of any
// release, 1 without a shuffler.
func (p Plan) Batch() int {
	most := 1
	for _, c := range p.Cases {
		for _, r := range c {
			most = max(most, r.batch)
		}
	}
	return most
}

// Adds reports whether a release of the plan counts on a sum of messages of which nobody sees one.
func (p Plan) Adds() bool {
	return slices.ContainsFunc(p.Cases, func(c []Release) bool {
		return slices.ContainsFunc(c, func(r Release) bool { return r.by == trust.Sum })
	})
}

// Repeated returns the plan with n times the draws: those of n messages, or of n nodes of a tree.
func (p Plan) Repeated(n int) Plan {
	p.Draws = slices.Clone(p.Draws)
	for i := range p.Draws {
		p.Draws[i].Count *= n
	}
	return p
}

// Times returns the plan with each release shown n times as often. For n < 1 no release shows a
// record. The draws stay.
func (p Plan) Times(n int) Plan {
	cases := p.Cases
	p.Cases = nil
	for _, releases := range cases[:len(cases)*min(max(n, 0), 1)] {
		releases = slices.Clone(releases)
		for i := range releases {
			releases[i].Times = releases[i].times() * n
		}
		p.Cases = append(p.Cases, releases)
	}
	return p
}

// Counted returns the plan with the given counts of its draws, one for each in their order. With
// fewer counts or more, the plan claims nothing. A plan without draws, of what is not open, stays
// as it is.
func (p Plan) Counted(counts ...int) Plan {
	if len(p.Draws) == 0 {
		return p
	}
	if len(counts) != len(p.Draws) {
		p.holder, p.none = nil, fmt.Sprintf("%d counts for %d kinds of draws, want as many", len(counts), len(p.Draws))
		return p
	}
	p.Draws = slices.Clone(p.Draws)
	for i := range p.Draws {
		p.Draws[i].Count = counts[i]
	}
	return p
}

// promise describes in a few words what a plan covers.
func (p Plan) promise() string {
	return fmt.Sprintf("in the %v model for %v (%v)", p.Model, p.Neighbours, p.Scope)
}
