package papers

import "testing"

// TestClaims checks every claim of the notebooks at smoke scale.
func TestClaims(t *testing.T) {
	for _, c := range Claims {
		t.Run(c.Name, func(t *testing.T) {
			statement, evidence, err := Check(c.Name, Smoke)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s\n%s", statement, evidence)
		})
	}
}
