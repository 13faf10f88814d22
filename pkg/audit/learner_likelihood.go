package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// ErrNothing is wrapped by the error of Learner.Likelihood where nothing is released in the rounds
// of the streams: longer ones may show something.
var ErrNothing = errors.New("the learner releases nothing")

// Likelihood returns the attack by likelihood on all that the learner releases, which is the
// strongest on its two streams. The result's Exact is the epsilon that no attack on these releases
// exceeds.
//
// It wants releases that are linear in Gaussian or Laplace noise, and data that reach them whatever
// the learner plays: arms that are all alike, say. Of any other learner the error says what is not
// so. What is released is what Transcript appends. If that is nil the run has to say it, by a
// method Released, as those of package learner do. Actions are left out.
func (a Learner) Likelihood() (Likelihood, error) {
	item, err := a.likelihood()
	return titled(a.Name, item, err)
}

// titled returns an attack, or an error that says which attack cannot be made.
func titled(name string, item Likelihood, err error) (Likelihood, error) {
	if err != nil {
		return Likelihood{}, fmt.Errorf("audit: %q: %w", name, err)
	}
	return item, nil
}

func (a Learner) likelihood() (item Likelihood, err error) {
	if _, err := a.check(); err != nil {
		return item, err
	}
	l, err := a.open()
	if err != nil {
		return item, err
	}
	defer func() { // a learner may draw its noise in a way that no script prescribes
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
		if err != nil {
			_ = bandit.Close(l)
		}
	}()
	about, err := a.About()
	if err != nil {
		return item, err
	}
	drawn := 0
	first, err := a.released(l, 0, privacy.Script(func(_ privacy.Law, dst []float64) {
		clear(dst)
		drawn += len(dst)
	}), nil)
	if err != nil {
		return item, err
	}
	switch n := len(first); {
	case n == 0:
		return item, ErrNothing
	case float64(n)*float64(drawn)*float64(min(n, drawn)) > mostWork:
		return item, fmt.Errorf("%d numbers are released under %d of noise, which is too much to invert: take fewer rounds", n, drawn)
	}
	linear, err := learnLinear(len(first), func(world int, noise privacy.Script, out []float64) error {
		got, err := a.released(l, world, noise, out[:0])
		if err == nil && len(got) != len(out) {
			err = fmt.Errorf("%d numbers are released in one run and %d in another", len(out), len(got))
		}
		return err
	})
	if err != nil {
		return item, err
	}
	item = Likelihood{
		Name: a.Name, Claim: about.Claim, Curve: about.Curve, Exact: a.Exact, Origin: a.Origin, Runs: a.Runs,
		Outputs: len(first), Density: linear.Density, Draws: linear.Draws,
		Release: func(world int, source rand.Source, out []float64) error {
			_, err := a.released(l, world, source, out[:0])
			return err
		},
	}
	if item.Exact == 0 {
		if item.Exact, err = epsilonOf(linear.Event, about.Claim.Delta); err != nil {
			return item, err
		}
	}
	return item, nil
}

// mostWork is the number of multiplications that inverting the releases may take, in units of about
// 20.
const mostWork = 5e7

// released plays a world and appends each release that has moved. The learner's own choices, which
// are no part of its privacy, are the same each time.
func (a Learner) released(l bandit.Calibrated, world int, noise rand.Source, dst []float64) ([]float64, error) {
	p := newPlayer(a, l)
	p.now = l.Start(rand.New(rand.NewPCG(1, 1)), noise)
	run, ok := p.now.(interface {
		Released([]float64) ([]float64, error)
	})
	if !ok && a.Transcript == nil {
		return dst, fmt.Errorf("a %T does not say what it releases: it has no method Released", p.now)
	}
	first := p.first()
	for t, r := range a.Worlds[world] {
		if err := p.round(t+first, r); err != nil {
			return dst, err
		}
		if a.Transcript != nil {
			dst = a.Transcript(p.now, t+first, dst)
			continue
		}
		n := len(dst)
		var err error
		if dst, err = run.Released(dst); err != nil {
			return dst, fmt.Errorf("round %d: %w", t+first, err)
		}
		if dst[n] == 0 { // the first number says whether the release has moved
			dst = dst[:n]
		}
	}
	return dst, nil
}

// epsilonOf returns the epsilon of an event at delta.
func epsilonOf(e account.Event, delta float64) (float64, error) {
	if delta == 0 {
		return account.Pure{}.Epsilon(e, 0)
	}
	epsilon, _, err := account.Tightest(e, delta)
	return epsilon, err
}
