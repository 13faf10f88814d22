package assert

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
)

// A check ends with the error that it meets, says so if what it found is not what is stated, and
// else returns the evidence.
func TestCheck(t *testing.T) {
	trouble := errors.New("trouble")
	claims := Claims{
		{Statement: "meets", Check: func(cell.Scale) (string, error) { return check.Try("unseen", trouble), nil }},
		{Statement: "fails", Check: func(cell.Scale) (string, error) { return Holds(false, "%d", 3) }},
		{Statement: "holds", Check: func(cell.Scale) (string, error) { return Holds(true, "%d", check.Try(4, nil)) }},
	}
	if _, _, err := claims.Check("meets", cell.Smoke); !errors.Is(err, trouble) {
		t.Errorf("error %v, want one that wraps %v", err, trouble)
	}
	if _, _, err := claims.Check("fails", cell.Smoke); err == nil || !strings.Contains(err.Error(), "does not hold: fails: it is: 3") {
		t.Errorf("error %v, want one that says what is", err)
	}
	if _, evidence, err := claims.Check("holds", cell.Smoke); err != nil || evidence != "4" {
		t.Errorf("%q, %v, want 4", evidence, err)
	}
}
