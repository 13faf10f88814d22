package field

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	one := 1
	for _, c := range []struct {
		x    any
		want string // of the error; empty: none
	}{{nil, "A.B is nil"}, {(*int)(nil), "A.B is a *int that is nil"}, {&one, ""}, {3, ""}, {[]int(nil), ""}} {
		err := Check("A.B", c.x)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: error %v, want %q", c.x, err, c.want)
		}
	}
}
