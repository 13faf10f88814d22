package suite

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAnswerAudit: of the answers of a query an audit sees 80% of what they show, and no more than
// all. The seed is fixed; one in a hundred others would exclude the claim falsely.
func TestAnswerAudit(t *testing.T) {
	for _, b := range []privacy.Budget{{Epsilon: Budget.Epsilon}, Budget} {
		f, err := answerItem("answers of a query", 40_000, b).Run(t.Context(), Options)
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() || f.Epsilon < 0.8*f.Exact {
			t.Errorf("%v: epsilon = %v is excluded, and %v true", b, f.Epsilon, f.Exact)
		}
		t.Logf("%v: %v of %v", b, f.Epsilon, f.Exact)
	}
}
