package external

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestMain is also a program, or the user of one, if it is asked to be.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-program" {
		roles[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// roles are the programs that the test binary can be, by name.
var roles = map[string]func(args []string){
	"serve": func(args []string) { serve(args[0], args[1:], os.Stdin, os.Stdout) },
}

// self returns the test binary as a program.
func self(role string, args ...string) Program {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Program{Command: append([]string{exe, "-program", role}, args...)}
}

// learners are those that the test binary can serve.
var learners = map[string]bandit.Learner{
	"linucb": learner.New(linear.UCB{}, nil),
	"tree":   learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}}),
	"random": learner.Random{},
	"turns":  turns{},
}

// turns plays all arms in turn.
type turns struct{}

func (turns) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return &taking{problem: p} }), p.Validate()
}

type taking struct {
	problem bandit.Problem
	next    int
}

func (t *taking) Select(v *bandit.View, dst []int) ([]int, error) {
	for range t.problem.Slots {
		dst = append(dst, t.next)
		t.next = (t.next + 1) % v.Arms
	}
	return dst, nil
}

func (t *taking) Update(*bandit.View, []int, []float64) error { return nil }

// ask is any message that a program is sent.
type ask struct {
	Type     string
	Protocol int
	Problem  struct {
		Arms, Dim, Slots int
		ContextNorm      float64 `json:"context_norm"`
		RewardMin        float64 `json:"reward_min"`
		RewardMax        float64 `json:"reward_max"`
	}
	Horizon   int
	Seed      uint64
	NoiseSeed uint64 `json:"noise_seed"`
	Round     int
	Contexts  [][]float64
	Packed    string
	Played    []int
	Rewards   []float64
}

// server plays a Go learner by the protocol.
type server struct {
	name    string
	form    string // of contexts
	claim   any
	release bool // the learner's sums
	problem bandit.Problem
	ready   bandit.Calibrated
	run     bandit.Run
	view    bandit.View
}

// serve answers messages. Options are "packed", "release", and "claim" with its JSON.
func serve(name string, options []string, in io.Reader, out io.Writer) {
	s := &server{name: name, form: "rows"}
	for _, o := range options {
		switch text, claims := strings.CutPrefix(o, "claim="); {
		case claims:
			s.claim = json.RawMessage(text)
		case o == "release":
			s.release = true
		case strings.HasPrefix(o, "log="):
			log, err := os.OpenFile(o[len("log="):], os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				panic(err)
			}
			in, out = io.TeeReader(in, log), io.MultiWriter(log, out)
		default:
			s.form = o
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		fmt.Fprintf(out, "%s\n", s.reply(lines.Bytes()))
	}
}

// reply returns the answer to a line.
func (s *server) reply(line []byte) []byte {
	var a ask
	if err := json.Unmarshal(line, &a); err != nil {
		panic(err)
	}
	answer, err := s.answer(a)
	if err != nil {
		answer = map[string]any{"error": err.Error()}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return text
}

func (s *server) answer(a ask) (map[string]any, error) {
	said := map[string]any{}
	var err error
	switch a.Type {
	case "open":
		q := a.Problem
		s.problem = bandit.Problem{Arms: q.Arms, Dim: q.Dim, Slots: q.Slots, ContextNorm: q.ContextNorm, RewardMin: q.RewardMin, RewardMax: q.RewardMax}
		s.ready, err = learners[s.name].Open(s.problem, a.Horizon)
		return map[string]any{"protocol": 1, "name": s.name, "contexts": s.form, "claim": s.claim}, err
	case "start":
		s.run = s.ready.Start(served(a.Seed, a.NoiseSeed))
		s.view = bandit.View{}
		return said, nil
	}
	if a.Played != nil {
		if err := s.run.Update(&s.view, a.Played, a.Rewards); err != nil {
			return nil, err
		}
		if s.release {
			if said["release"], err = s.run.(interface {
				Released([]float64) ([]float64, error)
			}).Released(nil); err != nil {
				return nil, err
			}
		}
	}
	if a.Type != "round" {
		return said, nil
	}
	switch {
	case a.Packed != "":
		b, err := base64.StdEncoding.DecodeString(a.Packed)
		if err != nil {
			return nil, err
		}
		s.view.X = nil
		for i := 0; i < len(b); i += 8 {
			s.view.X = append(s.view.X, math.Float64frombits(binary.LittleEndian.Uint64(b[i:])))
		}
	case a.Contexts != nil:
		s.view.X = slices.Concat(a.Contexts...)
	}
	v := &s.view
	v.Round, v.Dim, v.Same = a.Round, s.problem.Dim, a.Packed == "" && a.Contexts == nil && v.Round > 0
	if v.Arms = s.problem.Arms; v.Dim > 0 {
		v.Arms = len(v.X) / v.Dim
	}
	said["arms"], err = s.run.Select(v, nil)
	return said, err
}

// served returns the streams that a served learner makes of its seeds.
func served(seed, noiseSeed uint64) (*rand.Rand, rand.Source) {
	return rand.New(rand.NewPCG(seed, 1)), rand.NewPCG(noiseSeed, 2)
}
