// Command lasso fits the regression problems that it reads, so that another program can compare.
//
// Each line of its input is a JSON object: {"x": rows, "y": numbers, "alpha": number}. The line
// that it answers with is {"w": coefficients, "gap": share of |y|^2/2n}. With "refits" it loads the
// sums of the first "start" rows, adds the others one by one and fits after each. Its answer then
// has the mean time of adding a row and fitting, over the last "timed" rows, "seconds", and this
// process's processor time for it, "cpu". A "tolerance" is that of the solver.
//
// {"rounds": T, "dim": d, "arms": K} instead plays the thresholded LASSO bandit for so many rounds,
// and answers with the "seconds" of the whole run and its "regret".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/random"
)

type question struct {
	X         [][]float64 `json:"x"`
	Y         []float64   `json:"y"`
	Alpha     float64     `json:"alpha"`
	Tolerance float64     `json:"tolerance"`
	Refits    bool        `json:"refits"`
	Start     int         `json:"start"`
	Timed     int         `json:"timed"`
	Rounds    int         `json:"rounds"`
	Dim       int         `json:"dim"`
	Arms      int         `json:"arms"`
}

type answer struct {
	W       []float64 `json:"w"`
	Gap     float64   `json:"gap"`
	Seconds float64   `json:"seconds"`
	CPU     float64   `json:"cpu"`
	Regret  float64   `json:"regret"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	decoder, buffered := json.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	for {
		var q question
		if err := decoder.Decode(&q); err == io.EOF {
			return buffered.Flush()
		} else if err != nil {
			return err
		}
		answerTo := solve
		if q.Rounds > 0 {
			answerTo = play
		}
		a, err := answerTo(q)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(buffered).Encode(a); err != nil {
			return err
		}
	}
}

func solve(q question) (a answer, err error) {
	if len(q.X) == 0 || len(q.X) != len(q.Y) || q.Start < 0 || q.Start > len(q.X) ||
		q.Timed < 0 || q.Timed > len(q.X)-q.Start {
		return a, fmt.Errorf("lasso: %d rows, %d values of y, start = %d, timed = %d", len(q.X), len(q.Y), q.Start, q.Timed)
	}
	s, err := lasso.Regression{Dim: len(q.X[0]), Tolerance: q.Tolerance}.Open()
	if err != nil {
		return a, err
	}
	if err := s.Reserve(len(q.X)); err != nil {
		return a, err
	}
	if !q.Refits {
		q.Start = len(q.X)
	}
	whole := 0.0
	if q.Refits {
		if err := load(s, q.X[:q.Start], q.Y); err != nil {
			return a, err
		}
	} else {
		for i, x := range q.X {
			if err := s.Add(x, q.Y[i]); err != nil {
				return a, err
			}
		}
	}
	if a.W, err = s.Fit(q.Alpha); err != nil {
		return a, err
	}
	runtime.GC() // of what reading the question has left
	n, began, busy := len(q.X)-q.Start, time.Now(), processorTime()
	for i, x := range q.X[q.Start:] {
		if i == n-q.Timed {
			began, busy = time.Now(), processorTime()
		}
		if err := s.Add(x, q.Y[q.Start+i]); err != nil {
			return a, err
		}
		if a.W, err = s.Fit(q.Alpha); err != nil {
			return a, err
		}
	}
	if q.Timed > 0 {
		a.Seconds = time.Since(began).Seconds() / float64(q.Timed)
		a.CPU = (processorTime() - busy).Seconds() / float64(q.Timed)
	}
	for _, y := range q.Y {
		whole += y * y / float64(2*len(q.Y))
	}
	if whole > 0 {
		a.Gap = s.Gap() / whole
	}
	return a, nil
}

// load loads the sums of rows.
func load(s *lasso.Solver, x [][]float64, y []float64) error {
	d := len(x[0])
	xx, xy, yy := make([]float64, d*d), make([]float64, d), 0.0
	for i, row := range x {
		for j, v := range row {
			for k, u := range row {
				xx[j*d+k] += v * u
			}
			xy[j] += v * y[i]
		}
		yy += y[i] * y[i]
	}
	return s.Load(xx, xy, yy, len(x))
}

// play runs a bandit.
func play(q question) (a answer, err error) {
	e := environment.Sparse{Arms: q.Arms, Dim: q.Dim}
	world, err := e.Open()
	if err != nil {
		return a, err
	}
	l := sparse.ThresholdedLasso{Tolerance: q.Tolerance}
	ready, err := l.Open(e.Problem(), q.Rounds)
	if err != nil {
		return a, err
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	run := ready.Start(random.New(1, 0, "own"), nil)
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	arms, y := []int{0}, []float64{0}
	began := time.Now()
	for range q.Rounds {
		trial.Next(&v)
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			return a, err
		}
		a.Regret += trial.Regret(arms)
		trial.Pull(rewards, arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			return a, err
		}
	}
	a.Seconds = time.Since(began).Seconds()
	return a, nil
}
