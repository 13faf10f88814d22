// Command lasso fits the regression problems that it reads, so that another program can compare.
//
// Each line of its input is a JSON object: {"x": rows, "y": numbers, "alpha": number}. The line that
// it answers with is {"w": coefficients, "gap": share of |y|^2/2n}. With "refits" it adds all rows
// after the first "start" one by one, fits after each, and answers with the mean time of adding a
// row and fitting, "seconds", too. A "tolerance" is that of the solver.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dpbandits/dpbandits/pkg/lasso"
)

type question struct {
	X         [][]float64 `json:"x"`
	Y         []float64   `json:"y"`
	Alpha     float64     `json:"alpha"`
	Tolerance float64     `json:"tolerance"`
	Refits    bool        `json:"refits"`
	Start     int         `json:"start"`
}

type answer struct {
	W       []float64 `json:"w"`
	Gap     float64   `json:"gap"`
	Seconds float64   `json:"seconds"`
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
		a, err := solve(q)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(buffered).Encode(a); err != nil {
			return err
		}
	}
}

func solve(q question) (a answer, err error) {
	if len(q.X) == 0 || len(q.X) != len(q.Y) || q.Start < 0 || q.Start > len(q.X) {
		return a, fmt.Errorf("lasso: %d rows, %d values of y, start = %d", len(q.X), len(q.Y), q.Start)
	}
	s := &lasso.Solver{Dim: len(q.X[0]), Tolerance: q.Tolerance}
	if err := s.Init(); err != nil {
		return a, err
	}
	if err := s.Reserve(len(q.X)); err != nil {
		return a, err
	}
	if !q.Refits {
		q.Start = len(q.X)
	}
	whole := 0.0
	for i, x := range q.X[:q.Start] {
		if err := s.Add(x, q.Y[i]); err != nil {
			return a, err
		}
	}
	if a.W, err = s.Fit(q.Alpha); err != nil {
		return a, err
	}
	began := time.Now()
	for i, x := range q.X[q.Start:] {
		if err := s.Add(x, q.Y[q.Start+i]); err != nil {
			return a, err
		}
		if a.W, err = s.Fit(q.Alpha); err != nil {
			return a, err
		}
	}
	if n := len(q.X) - q.Start; n > 0 {
		a.Seconds = time.Since(began).Seconds() / float64(n)
	}
	for _, y := range q.Y {
		whole += y * y / float64(2*len(q.Y))
	}
	if whole > 0 {
		a.Gap = s.Gap() / whole
	}
	return a, nil
}
