package check

import (
	"errors"
	"testing"
)

var errWrong = errors.New("wrong")

// TestCatch: a check that ends has its error, one that passes none, and a panic is not caught.
func TestCatch(t *testing.T) {
	run := func(check func()) (err error) {
		defer Catch(&err)
		check()
		return nil
	}
	after := 0
	for name, c := range map[string]struct {
		check func()
		want  error
	}{
		"That":        {func() { That(false, "%w", errWrong); after++ }, errWrong},
		"OK":          {func() { OK(errWrong); after++ }, errWrong},
		"Try":         {func() { Try(1, errWrong); after++ }, errWrong},
		"all is well": {func() { That(true, "no"); OK(nil); after += Try(1, nil) }, nil},
	} {
		if err := run(c.check); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if after != 1 {
		t.Errorf("%d checks went to their end, want one", after)
	}
	defer func() {
		if p := recover(); p != "other" {
			t.Errorf("the panic is %v, want one that goes on", p)
		}
	}()
	run(func() { panic("other") })
}
