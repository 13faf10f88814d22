package size

import (
	"math"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		count float64
		ok    bool
	}{{0, true}, {Limit / 8, true}, {Limit/8 + 1, false}, {math.MaxFloat64, false}, {math.Inf(1), false}, {math.NaN(), false}} {
		err := Check("pkg: Type.Dim = 7", c.count)
		if (err == nil) != c.ok {
			t.Errorf("Check(%v) = %v, want an error: %v", c.count, err, !c.ok)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "pkg: Type.Dim = 7 needs ") {
			t.Errorf("Check(%v) = %q, want what it is about named first", c.count, err)
		}
	}
}

func TestTriangle(t *testing.T) {
	for order, want := range map[int]float64{0: 0, 1: 1, 3: 6, 1 << 20: (1 << 19) * (1<<20 + 1)} {
		if got := Triangle(order); got != want {
			t.Errorf("Triangle(%d) = %v, want %v", order, got, want)
		}
	}
	if err := Check("order MaxInt", Triangle(math.MaxInt)); err == nil {
		t.Error("a matrix of order MaxInt fits")
	}
}
