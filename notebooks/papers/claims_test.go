package papers

import "testing"

// long are the claims that take more than a second to check.
var long = map[string]bool{
	"attacked": true, "line-up": true, "sound noise is enough": true, "script": true, "batches": true,
	"movies": true, "gaussian beats wishart": true, "theorems hold": true,
}

// TestClaims checks every claim of the notebooks at smoke scale; with -short, those that take
// little time.
func TestClaims(t *testing.T) {
	for _, c := range Claims {
		t.Run(c.Name, func(t *testing.T) {
			if testing.Short() && long[c.Name] {
				t.Skip("takes long")
			}
			statement, evidence, err := Check(c.Name, Smoke)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s\n%s", statement, evidence)
		})
	}
}
