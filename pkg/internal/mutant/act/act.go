// Package act spoils noise and sensitivities while a program runs. Package mutant writes calls of
// it into the source that a compiler sees; no other source has any.
//
// Environment variables choose what happens. Without them nothing does.
package act

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
)

// The environment variables.
const (
	Mutant = "DPBANDITS_SPOIL"  // the number of a site, a colon, and a kind
	Trace  = "DPBANDITS_TRACE"  // a file that gets a line for each site that is reached
	Reseed = "DPBANDITS_RESEED" // a number that changes every seed; 0 changes none
	Blind  = "DPBANDITS_BLIND"  // not empty: no ledger finds anything
)

// The kinds of mutation. A run is what one stream of noise serves.
const (
	Halve  = "halve"  // every draw has half its size
	Later  = "later"  // every draw of a run but the first has half its size
	Skip   = "skip"   // the first draw of a run is zero
	Skip2  = "skip2"  // the second draw of a run is zero
	Part   = "part"   // the last number of a run's first draw is zero; of a matrix, the last two
	Reuse  = "reuse"  // the second draw of a run repeats the first
	Repeat = "repeat" // the second number of a run's first draw repeats the first
	Shrink = "shrink" // a sensitivity is halved, in plan and noise
	None   = "none"   // nothing changes
)

var (
	site, kind = chosen(os.Getenv(Mutant))
	traced     = os.Getenv(Trace)
	reseed, _  = strconv.ParseUint(os.Getenv(Reseed), 10, 64)
	blind      = os.Getenv(Blind) != ""

	mu    sync.Mutex
	runs  = map[any]*run{}
	order []any // of the runs, the oldest first
	seen  = map[event]bool{}
)

// event is something that happened at a site.
type event struct {
	site int
	what string
}

// most is how many runs are remembered at a time.
const most = 256

// run is what one stream of noise has drawn at the chosen site.
type run struct {
	draws map[int]int // by site
	last  any         // the first draw at the chosen site
	coins *rand.Rand
}

func chosen(s string) (int, string) {
	number, kind, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1, ""
	}
	return n, kind
}

// Blinded reports whether ledgers are to find nothing.
func Blinded() bool { return blind }

// Seed returns another seed.
func Seed(s uint64) uint64 { return s ^ reseed*0x9e3779b97f4a7c15 }

// idle reports whether nothing happens at a site.
func idle(at int) bool { return at != site && traced == "" }

// draw counts a draw of so many numbers from a stream, and returns the run and how many draws it
// has made here.
func draw(at int, stream any, width int) (*run, int) {
	r := runs[stream]
	if r == nil {
		r = &run{draws: map[int]int{}, coins: rand.New(rand.NewPCG(uint64(len(order)), 17))}
		runs[stream] = r
		if order = append(order, stream); len(order) > most {
			delete(runs, order[0])
			order = order[1:]
		}
	}
	r.draws[at]++
	n := r.draws[at]
	if traced != "" {
		note(at, "draw")
		if n > 1 {
			note(at, "again")
		}
		if width > 1 {
			note(at, "wide")
		}
	}
	return r, n
}

// note writes that something has happened at a site, once.
func note(at int, what string) {
	if seen[event{at, what}] {
		return
	}
	seen[event{at, what}] = true
	f, err := os.OpenFile(traced, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%d %s\n", at, what); err != nil {
		panic(err)
	}
}

// Numbers spoils what a stream has just drawn at a site.
func Numbers[T float64 | int64](at int, stream any, dst []T) { numbers(at, stream, dst, 1) }

// Matrix spoils a packed symmetric matrix. Its last number may be the noise of a sum of squares
// that nobody is shown, so that Part leaves out the one before it, too.
func Matrix(at int, stream any, dst []float64) { numbers(at, stream, dst, 2) }

// numbers spoils what a stream has just drawn at a site, of which part numbers are a part.
func numbers[T float64 | int64](at int, stream any, dst []T, part int) {
	if idle(at) {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	r, n := draw(at, stream, len(dst))
	if at != site {
		return
	}
	switch {
	case kind == Halve, kind == Later && n > 1:
		for i := range dst {
			dst[i] /= 2
		}
	case kind == Skip && n == 1, kind == Skip2 && n == 2:
		clear(dst)
	case kind == Part && n == 1 && len(dst) > 1:
		clear(dst[len(dst)-part:])
	case kind == Repeat && n == 1 && len(dst) > 1:
		dst[1] = dst[0]
	case kind == Reuse && n == 1:
		r.last = append([]T(nil), dst...)
	case kind == Reuse && n == 2:
		copy(dst, r.last.([]T))
	}
}

// Response spoils an answer by randomised response.
func Response(at int, stream any, truth, choices, answer int) int {
	if idle(at) {
		return answer
	}
	mu.Lock()
	defer mu.Unlock()
	r, n := draw(at, stream, 1)
	if at != site || choices < 2 {
		return answer
	}
	switch {
	case kind == Halve, kind == Later && n > 1: // half of the lies become true
		if r.coins.IntN(2) == 0 {
			return truth
		}
	case kind == Skip && n == 1, kind == Skip2 && n == 2:
		return truth
	case kind == Reuse && n == 1:
		r.last = (answer - truth + choices) % choices
	case kind == Reuse && n == 2:
		return (truth + r.last.(int)) % choices
	}
	return answer
}

// Order spoils a shuffle.
func Order(at int, stream any, list []int, shuffle func()) {
	if idle(at) {
		shuffle()
		return
	}
	before := append([]int(nil), list...)
	shuffle()
	mu.Lock()
	defer mu.Unlock()
	r, n := draw(at, stream, 1)
	if at != site {
		return
	}
	switch {
	case kind == Halve, kind == Later && n > 1: // the second half stays where it was
		copy(list, before)
		r.coins.Shuffle(len(list)/2, func(i, j int) { list[i], list[j] = list[j], list[i] })
	case kind == Skip && n == 1, kind == Skip2 && n == 2:
		copy(list, before)
	case kind == Reuse && n == 1:
		r.last = places(before, list)
	case kind == Reuse && n == 2:
		for i, from := range r.last.([]int) {
			if i < len(list) && from < len(before) {
				list[i] = before[from]
			}
		}
	}
}

// places returns where each of a list's numbers was before.
func places(before, list []int) []int {
	at := map[int]int{}
	for i, v := range before {
		at[v] = i
	}
	p := make([]int, len(list))
	for i, v := range list {
		p[i] = at[v]
	}
	return p
}

// Half returns half of a sensitivity, or of what it is made of.
func Half[T ~float64 | ~int | ~int64](at int, v T) T {
	if idle(at) {
		return v
	}
	if traced != "" {
		mu.Lock()
		note(at, "draw")
		mu.Unlock()
	}
	if at == site && kind == Shrink {
		return v / 2
	}
	return v
}
