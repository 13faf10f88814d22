package learner_test

import (
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
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
	omm := func() *learner.OMM { return &learner.OMM{Matroid: m, Tally: blocks(5), Width: 0.1} }
	for name, change := range map[string]func(*learner.OMM){
		"Matroid":        func(l *learner.OMM) { l.Matroid = other },
		"Tally":          func(l *learner.OMM) { l.Tally = nil },
		"Initialisation": func(l *learner.OMM) { l.Initialisation = learner.AsPublished },
		"Explore":        func(l *learner.OMM) { l.Explore = 100 },
		"Log":            func(l *learner.OMM) { l.Log = learner.LogT },
		"Width":          func(l *learner.OMM) { l.Width = 100 },
	} {
		l := omm()
		if got, want := play(l, func() { change(l) }), play(omm(), unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("OMM.%s set after Init changes what is played", name)
		}
	}
	for _, sample := range []bool{false, true} {
		cts := func() *learner.CTS { return &learner.CTS{Matroid: m, Tally: blocks(5), Width: 0.3, Sample: sample} }
		for name, change := range map[string]func(*learner.CTS){
			"Matroid":        func(l *learner.CTS) { l.Matroid = other },
			"Tally":          func(l *learner.CTS) { l.Tally = nil },
			"Initialisation": func(l *learner.CTS) { l.Initialisation = learner.AsPublished },
			"Width":          func(l *learner.CTS) { l.Width = 100 },
			"Boost":          func(l *learner.CTS) { l.Boost = 100 },
			"Sample":         func(l *learner.CTS) { l.Sample = !l.Sample },
		} {
			l := cts()
			if got, want := play(l, func() { change(l) }), play(cts(), unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("CTS with Sample = %v: %s set after Init changes what is played", sample, name)
			}
		}
	}
	beta := &learner.CTSBeta{Matroid: m}
	if got, want := play(beta, func() { beta.Matroid = other }), play(&learner.CTSBeta{Matroid: m}, unchanged); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Error("CTSBeta.Matroid set after Init changes what is played")
	}
}
