package lab

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestCompare(t *testing.T) {
	curve := func(name string, mean, se float64) simulate.Curve {
		return simulate.Curve{Policy: name, Mean: []float64{mean}, SE: []float64{se}}
	}
	curves := []simulate.Curve{curve("a", 10, 3), curve("b", 30, 4), curve("c", 24, 4), curve("one trial", 10, math.NaN())}
	for _, c := range []struct {
		Comparison
		want string
	}{
		{Comparison{"a", "b", 1}, ""}, // by 4 standard errors
		{Comparison{"b", "a", -1}, ""},
		{Comparison{"a", "c", 0}, ""}, // by 2.8
		{Comparison{"a", "b", 0}, `here: "a" is ahead of "b" by 4.0 standard errors`},
		{Comparison{"a", "c", 1}, `here: "a" is ahead of "c" by 2.8 standard errors`},
		{Comparison{"a", "one trial", 0}, "by NaN standard errors"},
		{Comparison{"a", "d", 0}, `no curve of "d"`},
	} {
		err := Compare("here", curves, Comparison{"b", "a", -1}, c.Comparison)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.Comparison, err, c.want)
		}
	}
}
