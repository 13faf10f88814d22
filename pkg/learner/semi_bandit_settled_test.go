package learner_test

import (
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// changing is a learner whose fields are changed once Init is over.
type changing struct {
	bandit.Learner
	change func()
}

func (c changing) Init(p bandit.Problem, horizon int) error {
	err := c.Learner.Init(p, horizon)
	c.change()
	return err
}

// TestSemiBanditsAreSettledByInit: no field that is set after Init changes what is played.
func TestSemiBanditsAreSettledByInit(t *testing.T) {
	m, other := must(matroid.NewUniform(5, 2)), must(matroid.NewUniform(5, 1))
	p := bandit.Problem{Arms: 5, Slots: 2, RewardMax: 1}
	play := func(l bandit.Learner, change func()) [][]int {
		return semiPlay(t, changing{l, change}, p, m, 300, weights([]float64{0.2, 0.4, 0.5, 0.6, 0.8}))
	}
	unchanged := func() {}
	omm := func() *learner.OMM { return learner.OMM{Matroid: m, Width: 0.1} }
	for name, change := range map[string]func(*learner.OMM){
		"Matroid":        func(l *learner.OMM) { l.Matroid = other },
		"Initialisation": func(l *learner.OMM) { l.Initialisation = learner.AsPublished },
		"Explore":        func(l *learner.OMM) { l.Explore = 100 },
		"Log":            func(l *learner.OMM) { l.Log = learner.LogT },
		"Width":          func(l *learner.OMM) { l.Width = 100 },
	} {
		l := omm()
		if got, want := play(learner.New(l, blocks(5)), func() { change(l) }), play(learner.New(omm(), blocks(5)), unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("OMM.%s set after Init changes what is played", name)
		}
	}
	for name, change := range map[string]func(*learner.Private[privacy.Means]){
		"Policy":    func(l *learner.Private[privacy.Means]) { l.Policy = nil },
		"Statistic": func(l *learner.Private[privacy.Means]) { l.Statistic = nil },
	} {
		l, want := learner.New(omm(), blocks(5)), play(learner.New(omm(), blocks(5)), unchanged)
		if got := play(l, func() { change(l) }); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("Private.%s set after Init changes what is played", name)
		}
	}
	for _, sample := range []bool{false, true} {
		cts := func() *learner.CTS { return learner.CTS{Matroid: m, Width: 0.3, Sample: sample} }
		for name, change := range map[string]func(*learner.CTS){
			"Matroid":        func(l *learner.CTS) { l.Matroid = other },
			"Initialisation": func(l *learner.CTS) { l.Initialisation = learner.AsPublished },
			"Width":          func(l *learner.CTS) { l.Width = 100 },
			"Boost":          func(l *learner.CTS) { l.Boost = 100 },
			"Sample":         func(l *learner.CTS) { l.Sample = !l.Sample },
		} {
			l := cts()
			if got, want := play(learner.New(l, blocks(5)), func() { change(l) }), play(learner.New(cts(), blocks(5)), unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("CTS with Sample = %v: %s set after Init changes what is played", sample, name)
			}
		}
	}
	beta := &learner.CTSBeta{Matroid: m}
	if got, want := play(beta, func() { beta.Matroid = other }), play(&learner.CTSBeta{Matroid: m}, unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Error("CTSBeta.Matroid set after Init changes what is played")
	}
}
