package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// words returns the flags of a case in pkg/privacy/account/testdata/accountants.csv, or nil for one
// that has no flag.
func words(t *testing.T, name string) (flags []string) {
	t.Helper()
	if k, rest, ok := strings.Cut(name, " of: "); ok {
		return append(words(t, rest), "-records", k)
	}
	fields := map[string][]string{
		"gaussian": {"sensitivity"}, "laplace": {"eps"}, "discrete-gaussian": {"sensitivity", "sigma"}, "discrete-laplace": {"sensitivity", "scale"},
		"response": {"eps", "choices"}, "sparse-vector": {"eps", "accepted"}, "exponential": {"eps"}, "approximate": {"eps", "delta"},
		"binomial": {"trials", "p", "most"},
	}
	for part := range strings.SplitSeq(name, ", ") {
		one, times, repeated := strings.Cut(part, " x ")
		var kind, numbers []string
		for _, word := range strings.Fields(one) {
			if _, err := strconv.ParseFloat(word, 64); err == nil {
				numbers = append(numbers, word)
			} else {
				kind = append(kind, word)
			}
		}
		flag := strings.Join(kind, "-")
		if flag == "binomial-pair" {
			return nil
		}
		if len(fields[flag]) != len(numbers) {
			t.Fatalf("%q has the numbers %v, want %v", part, numbers, fields[flag])
		}
		var values []string
		for i, field := range fields[flag] {
			values = append(values, field+"="+numbers[i])
		}
		switch flag {
		case "gaussian":
			values = append(values, "sigma=1")
		case "binomial":
			values = append(values, "tail=1e-9")
		}
		if repeated {
			values = append(values, "times="+times)
		}
		flags = append(flags, "-"+flag, strings.Join(values, ","))
	}
	return flags
}

// said is the part of the JSON that the tests read.
type said struct {
	Event   string
	Answers []struct {
		Accountant, Refuses string
		Epsilon             any     // a number, or "+Inf"
		AtLeast             float64 `json:"at_least"`
	}
}

// interval asks for the epsilon of a composition, and returns the least upper bound and the bounds
// on both sides that the accountant of losses has.
func interval(t *testing.T, delta string, flags ...string) (least, lo, hi float64) {
	t.Helper()
	out, complaints, status := on(append([]string{"account", "-json", "-delta", delta}, flags...)...)
	var s said
	if err := json.Unmarshal([]byte(out), &s); status != 0 || err != nil || len(s.Answers) == 0 {
		t.Fatalf("%q: status %d, %v, prints %s, complains %s", flags, status, err, out, complaints)
	}
	for i, a := range s.Answers {
		epsilon, ok := a.Epsilon.(float64)
		if i == 0 {
			least = epsilon
		}
		if ok && epsilon < least {
			t.Errorf("%q: %s has %v, below the first answer, %v", flags, a.Accountant, epsilon, least)
		}
		if a.AtLeast > 0 {
			lo, hi = a.AtLeast, epsilon
		}
	}
	return least, lo, hi
}

// manyTimes matches a case with a thousand equal releases or more.
var manyTimes = regexp.MustCompile(` x \d{4}|^sparse vector \S+ \d{4}`)

// TestBesideAnotherAccountant: in the cases of package privacy's test, as flags, the program's
// interval of epsilon is at most 0.1% wide and overlaps that of dp-accounting, whose version the
// file has; the first answer is not below dp-accounting's optimistic estimate; and what is printed
// for people is the same, rounded to the safe side.
func TestBesideAnotherAccountant(t *testing.T) {
	f, err := os.Open("../../privacy/account/testdata/accountants.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const down, up = 1 - 1e-8, 1 + 1e-8 // dp-accounting does not charge its rounding
	cases, thousands, worst := 0, 0, 0.0
	for _, row := range rows[1:] {
		name, delta := row[0], row[1]
		flags := words(t, name)
		if flags == nil {
			continue
		}
		cases++
		if manyTimes.MatchString(name) {
			thousands++
		}
		low, err1 := strconv.ParseFloat(row[2], 64)
		high, err2 := strconv.ParseFloat(row[3], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if strings.HasPrefix(name, "binomial") {
			high *= 1.2 // the event is a Gaussian above the two laws
		}
		least, lo, hi := interval(t, delta, flags...)
		if !(lo <= high*up && hi >= low*down && lo <= hi) {
			t.Errorf("%s at delta = %s: epsilon in [%v, %v], want some of [%v, %v]", name, delta, lo, hi, low, high)
		}
		if !(hi-lo <= 1e-3*hi) {
			t.Errorf("%s at delta = %s: epsilon in [%v, %v], want a width of 0.1%%", name, delta, lo, hi)
		}
		worst = max(worst, (hi-lo)/hi)
		// A composition of choices is below that of their pairs: zCDP may prove less.
		if least < low*down && !strings.Contains(name, "exponential") {
			t.Errorf("%s at delta = %s: epsilon = %v, below %v", name, delta, least, low)
		}
	}
	t.Logf("%d cases, %d of a thousand releases or more; the widest interval of epsilon is %.2g of it", cases, thousands, worst)
	if cases < 40 || thousands < 8 || math.IsNaN(worst) {
		t.Errorf("%d cases, %d of a thousand releases, want at least 40 and 8", cases, thousands)
	}
}

// TestShuffleByFormula: shuffled messages, which dp-accounting does not have, lie between what an
// adversary gets who counts binary randomised responses, summed over all counts, and the closed
// form of Feldman, McMillan and Talwar (2021), Theorem 3.1.
func TestShuffleByFormula(t *testing.T) {
	for _, c := range []struct {
		local float64
		users int
		delta float64
	}{{0.5, 1000, 1e-6}, {1, 1000, 1e-6}, {1, 10_000, 1e-8}, {2, 5000, 1e-6}, {3, 20_000, 1e-5}, {4, 100_000, 1e-6}} {
		_, lo, hi := interval(t, fmt.Sprint(c.delta), "-shuffle", fmt.Sprintf("eps=%v,users=%d", c.local, c.users))
		n, grow := float64(c.users), math.Exp(c.local)
		if c.local > math.Log(n/(16*math.Log(2/c.delta))) {
			t.Fatalf("%+v: the theorem does not hold", c)
		}
		above := math.Log1p((grow - 1) / (grow + 1) * (8*math.Sqrt(grow*math.Log(4/c.delta)/n) + 8*grow/n))
		below := counted(c.local, c.users, c.delta)
		if !(lo <= hi && hi-lo <= 1e-3*hi && below <= hi && hi <= above) {
			t.Errorf("%+v: epsilon in [%v, %v], want above %v and below %v", c, lo, hi, below, above)
		}
		t.Logf("%+v: counts alone %.6g, we [%.6g, %.6g], the closed form %.6g", c, below, lo, hi, above)
	}
}

// counted returns the epsilon of the number of ones among binary randomised responses of n users,
// of whom one changes and the others hold half zeros, half ones.
func counted(local float64, n int, delta float64) float64 {
	p := math.Exp(local) / (1 + math.Exp(local))
	half := (n - 1) / 2
	others := convolve(binomialLaw(half, p), binomialLaw(n-1-half, 1-p))
	one, zero := convolve(others, []float64{1 - p, p}), convolve(others, []float64{p, 1 - p})
	low, high := 0.0, local
	for range 50 {
		epsilon := (low + high) / 2
		sum := 0.0
		for i, a := range one {
			sum += math.Max(0, a-math.Exp(epsilon)*zero[i])
		}
		if sum > delta {
			low = epsilon
		} else {
			high = epsilon
		}
	}
	return low
}

// binomialLaw returns the probabilities of 0 to n successes.
func binomialLaw(n int, p float64) []float64 {
	law := make([]float64, n+1)
	all, _ := math.Lgamma(float64(n + 1))
	for k := range law {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		law[k] = math.Exp(all - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return law
}

// convolve returns the law of a sum. What is below 1e-30 of a is left out.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		if x < 1e-30 {
			continue
		}
		for j, y := range b {
			sum[i+j] += x * y
		}
	}
	return sum
}

// TestSparseVectorByFormula: accepted comparisons compose as the optimal composition of Kairouz, Oh
// and Viswanath (2015), Theorem 3.3, and at delta = 0 to their sum.
func TestSparseVectorByFormula(t *testing.T) {
	for _, c := range []struct {
		eps      float64
		accepted int
		delta    float64
	}{{1, 1, 1e-6}, {0.5, 3, 1e-3}, {0.5, 10, 1e-6}, {0.1, 100, 1e-5}, {0.05, 1000, 1e-6}, {0.01, 5000, 1e-8}} {
		_, lo, hi := interval(t, fmt.Sprint(c.delta), "-sparse-vector", fmt.Sprintf("eps=%v,accepted=%d", c.eps, c.accepted))
		truth := optimal(c.eps, c.accepted, c.delta)
		if !(lo <= truth*(1+1e-9) && truth <= hi*(1+1e-9) && hi-lo <= 1e-3*hi) {
			t.Errorf("%+v: epsilon in [%v, %v], want %v in it", c, lo, hi, truth)
		}
		if least, _, _ := interval(t, "0", "-sparse-vector", fmt.Sprintf("eps=%v,accepted=%d", c.eps, c.accepted)); math.Abs(least-c.eps*float64(c.accepted)) > 1e-9*least {
			t.Errorf("%+v at delta = 0: epsilon = %v, want the sum, %v", c, least, c.eps*float64(c.accepted))
		}
	}
}

// optimal returns the least epsilon at delta of k releases of which each is eps-private.
func optimal(eps float64, k int, delta float64) float64 {
	law := binomialLaw(k, 1/(1+math.Exp(eps))) // of the releases whose loss is -eps
	low, high := 0.0, eps*float64(k)
	for range 60 {
		epsilon := (low + high) / 2
		sum := 0.0
		for l, p := range law {
			if loss := eps * float64(k-2*l); loss > epsilon {
				sum -= p * math.Expm1(epsilon-loss)
			}
		}
		if sum > delta {
			low = epsilon
		} else {
			high = epsilon
		}
	}
	return high
}

// TestRounded: six digits, on the side that is asked for, and no further away than they have to be.
func TestRounded(t *testing.T) {
	for _, c := range []struct {
		x        float64
		up, down string
	}{
		{0, "0", "0"}, {1, "1", "1"}, {0.5, "0.5", "0.5"}, {28.11832, "28.1184", "28.1183"}, {28.11838, "28.1184", "28.1183"}, {1.0 / 3, "0.333334", "0.333333"},
		{2.0 / 3, "0.666667", "0.666666"}, {9.9999999, "10", "9.99999"}, {1.00000001, "1.00001", "1"}, {0.99999999, "1", "0.999999"},
		{1234567.8, "1.23457e+06", "1.23456e+06"}, {1.2345678e-7, "1.23457e-07", "1.23456e-07"}, {math.Inf(1), "+Inf", "+Inf"},
	} {
		if up, down := rounded(c.x, 1), rounded(c.x, -1); up != c.up || down != c.down {
			t.Errorf("%v: %s and %s, want %s and %s", c.x, up, down, c.up, c.down)
		}
	}
}
