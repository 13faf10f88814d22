package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Confidence sets from predictions.

// setRounds are the slider's.
var setRounds = []int{0, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000}

// setServer returns OnlineUCB's server for the lesson's problem, with a rule for the width.
func setServer(b privacy.Budget, rule learner.WidthRule, width float64) *learner.OnlineServer {
	return &learner.OnlineServer{
		Noise: learner.OnlineNoise{Budget: b}, Rule: rule, Width: width,
		Truth: func() []float64 { return lossTheta },
		Online: func(radius, gradient float64) online.Learner {
			return &online.OGD{Radius: radius, Gradient: gradient, Step: online.CurvedStep(0.15)}
		},
	}
}

// set is a confidence set in two dimensions.
type set struct {
	centre [2]float64
	v      [3]float64 // the matrix of its norm
	beta   float64
	theta  [2]float64 // the next prediction
}

// inside returns |theta* - centre|_V / beta.
func (s set) inside() float64 {
	a, b := lossTheta[0]-s.centre[0], lossTheta[1]-s.centre[1]
	return math.Sqrt(s.v[0]*a*a+2*s.v[1]*a*b+s.v[2]*b*b) / s.beta
}

// LessonSets plays servers, by rule and width, on the same messages about the lesson's rows, and
// returns their sets after some numbers of rounds.
func LessonSets(b privacy.Budget, rounds []int, servers ...*learner.OnlineServer) ([][]set, error) {
	device := &learner.OnlineDevice{Noise: learner.OnlineNoise{Budget: b}}
	horizon := rounds[len(rounds)-1] + 1
	if err := device.Init(lossProblem, horizon); err != nil {
		return nil, err
	}
	for _, s := range servers {
		if err := s.Init(lossProblem, horizon); err != nil {
			return nil, err
		}
		s.Reset(nil)
	}
	rows, noise := random.New(Seed, 0, "rows"), privacy.NewNoise(random.Source(Seed, 0, "noise"))
	x, out := make([]float64, 2), make([][]set, len(servers))
	for t, next := 0, 0; next < len(rounds); t++ {
		if t == rounds[next] {
			for i, s := range servers {
				out[i] = append(out[i], read(s))
			}
			next++
		}
		y := lossRow(rows, x)
		m, err := device.Report(servers[0].Broadcast(), x, y, noise, nil)
		if err != nil {
			return nil, err
		}
		for _, s := range servers {
			if err := s.Receive(m); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// read takes the set out of a server's broadcast: centre (2 numbers), V^-1 (3), beta.
func read(s *learner.OnlineServer) set {
	b, p := s.Broadcast(), s.Prediction()
	det := b[2]*b[4] - b[3]*b[3]
	return set{
		centre: [2]float64{b[0], b[1]}, v: [3]float64{b[4] / det, -b[3] / det, b[2] / det}, beta: b[5],
		theta: [2]float64{p[0], p[1]},
	}
}

// FigureSets draws the confidence sets of two rules for the width, with a slider over the rounds.
func FigureSets(s lab.Scale) (*charts.Figure, error) {
	b := lossBudget(10)
	sets, err := LessonSets(b, setRounds, setServer(b, learner.ScaledWidth, 4), setServer(b, learner.OracleWidth, 1), setServer(b, learner.ScaledWidth, 0.2))
	if err != nil {
		return nil, err
	}
	f := &charts.Figure{
		Title: "From predictions to a confidence set",
		X:     charts.Axis{Name: "θ₁", Range: [2]float64{-2, 2}}, Y: charts.Axis{Name: "θ₂", Range: [2]float64{-1.5, 1.5}},
		Equal: true, Width: 800, Height: 640, Scale: "this cell, at every scale",
		Series:  []charts.Series{{Name: "θ*", Kind: charts.Scatter, X: lossTheta[:1], Y: lossTheta[1:], Size: 16, Style: 4}},
		Slider:  &charts.Slider{Label: "messages", Start: 4},
		Caption: "Two dimensions, ε = 10, δ = 10⁻⁵ (σ = 1.41), OGD. An ellipse beyond the frame is cut off. The path: predictions at the rounds of the slider so far",
	}
	names := []string{"width × 4", "least that the proof could use (knows θ*)", "width × 0.2"}
	var px, py []float64
	for k, t := range setRounds {
		frame := charts.Frame{Value: cell.Thousands(t)}
		px, py = append(px, sets[0][k].theta[0]), append(py, sets[0][k].theta[1])
		frame.Series = append(frame.Series, charts.Series{Name: "predictions θ_t", X: append([]float64(nil), px...), Y: append([]float64(nil), py...), Faint: true, Style: 5})
		for i, name := range names {
			at := sets[i][k]
			x, y := charts.Ellipse(at.centre, at.v, at.beta)
			frame.Series = append(frame.Series, charts.Series{Name: name, X: x, Y: y, Style: 1 + i})
		}
		f.Slider.Frames = append(f.Slider.Frames, frame)
	}
	return f, nil
}

// TableWidths lays out the width of the confidence set after T rounds by rule: the factor 1, the
// factor of Figure 1, the oracle's, and the paper's own theory.
func TableWidths(s lab.Scale) (*charts.Table, error) {
	t := charts.NewTable("ε", "closed form", "× 4", "least that the proof could use", "the proof's own bound", "its bonus for one arm")
	for _, epsilon := range Epsilons {
		w, err := widths(s, epsilon)
		if err != nil {
			return nil, err
		}
		t.Add(fmt.Sprint(epsilon), lab.Number(w.scaled), lab.Number(4*w.scaled), lab.Number(w.oracle), lab.Number(w.theory), lab.Number(w.bonus))
	}
	t.Align = "rrrrrr"
	t.Caption = fmt.Sprintf("Width β of OnlineUCB's set after %s rounds of Figure 1 (sound noise, OGD, one trial). The proof's bound is Lemma 3.3 with γ = 1 and λ_min = 0.05; its bonus is the least β|x| of any arm in the norm of V⁻¹, where mean rewards are in [0, 1]",
		cell.Thousands(cell.Pick(s, 2_000, Horizon, Horizon)))
	t.Scale = cell.Here(s)
	return t, nil
}

type lastWidths struct{ scaled, oracle, theory, bonus float64 }

// tee is a server that plays the first of several, all of which receive the messages.
type tee []learner.Server

func (t tee) Init(p bandit.Problem, horizon int) error {
	for _, s := range t {
		if err := s.Init(p, horizon); err != nil {
			return err
		}
	}
	return nil
}

func (t tee) Reset(own *rand.Rand) {
	for _, s := range t {
		s.Reset(own)
	}
}

func (t tee) Receive(m learner.Message) error {
	for _, s := range t {
		if err := s.Receive(m); err != nil {
			return err
		}
	}
	return nil
}

func (t tee) Broadcast() []float64 { return t[0].Broadcast() }

// widths plays one trial of Figure 1 and reads the widths of its last round.
func widths(s lab.Scale, epsilon float64) (w lastWidths, err error) {
	env := Arms(true)
	l := Online(Budget(epsilon), privacy.Sound, figure1Mu(epsilon), figure1Width)
	played := l.Server.(*learner.OnlineServer)
	rules := map[learner.WidthRule]*learner.OnlineServer{}
	all := tee{played}
	for _, rule := range []learner.WidthRule{learner.ScaledWidth, learner.OracleWidth, learner.TheoryWidth} {
		r := &learner.OnlineServer{Noise: played.Noise, Online: played.Online, Rule: rule, LambdaMin: 0.05, Truth: env.Theta}
		rules[rule] = r
		all = append(all, r)
	}
	l.Server = all
	if err := l.Init(env.Problem(), Horizon); err != nil {
		return w, err
	}
	env.Reset(random.New(Seed, 0, "contexts"))
	l.Reset(random.New(Seed, 0, "own"), random.Source(Seed, 0, "noise"))
	rewards := random.New(Seed, 0, "rewards")
	var v bandit.View
	arms, y := make([]int, 0, 1), []float64{0}
	for range cell.Pick(s, 2_000, Horizon, Horizon) {
		env.Next(&v)
		arms = l.Select(&v, arms[:0])
		env.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
		if l.Err() != nil {
			return w, l.Err()
		}
	}
	_, w.scaled = rules[learner.ScaledWidth].Confidence()
	_, w.oracle = rules[learner.OracleWidth].Confidence()
	_, w.theory = rules[learner.TheoryWidth].Confidence()
	// The bonus beta |x|_{V^-1} of an arm is greatest along V^-1's first axis and least along its
	// last.
	b := played.Broadcast()
	least := math.Inf(1)
	for a := range v.Arms {
		x, p, square := v.Row(a), 5, 0.0
		for i := range 5 {
			for j := range i + 1 {
				term := b[p] * x[i] * x[j]
				if j < i {
					term *= 2
				}
				square += term
				p++
			}
		}
		least = math.Min(least, math.Sqrt(square))
	}
	w.bonus = w.theory * least
	return w, nil
}

// claimSets: theta* is in the oracle's set in every round, on its edge or nearly so, by the
// identity that Lemma 3.3 rests on; and leaves the set of a small width.
func claimSets(s lab.Scale) (string, error) {
	b := lossBudget(10)
	var rounds []int
	for t := range cell.Pick(s, 3_000, 10_000, 10_000) {
		rounds = append(rounds, t)
	}
	sets, err := LessonSets(b, rounds, setServer(b, learner.OracleWidth, 1), setServer(b, learner.ScaledWidth, 4), setServer(b, learner.ScaledWidth, 0.2))
	if err != nil {
		return "", err
	}
	out, worst := make([]int, 3), make([]float64, 3)
	for i := range sets {
		for _, at := range sets[i] {
			d := at.inside()
			worst[i] = math.Max(worst[i], d)
			if d > 1+1e-6 {
				out[i]++
			}
		}
	}
	if out[0] > 0 || worst[0] < 0.5 {
		return "", fmt.Errorf("θ* is outside the oracle's set in %d rounds, and at most at %.3f β", out[0], worst[0])
	}
	if out[1] > 0 || out[2] == 0 {
		return "", fmt.Errorf("θ* is outside the set of width × 4 in %d rounds and of × 0.2 in %d, want none and some", out[1], out[2])
	}
	return fmt.Sprintf("%s rounds: θ* at most at %.2f β of the oracle's set, %.2f of the one of width × 4; outside that of × 0.2 in %s", cell.Thousands(len(rounds)), worst[0], worst[1], cell.Thousands(out[2])), nil
}
