package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestRegret: what README says of its figure is what the run had at its end, and the epsilons are
// today's.
func TestRegret(t *testing.T) {
	f, err := os.Open("regret.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+len(lines) {
		t.Fatalf("regret.csv has %d lines (%v), want %d", len(rows), err, 1+len(lines))
	}
	regret := make([]float64, len(lines))
	proved := make([]float64, len(lines))
	for i, l := range lines {
		row := rows[1+i]
		if row[0] != l.Name {
			t.Errorf("regret.csv, line %d is of %q, want %q", i+2, row[0], l.Name)
		}
		if regret[i], err = strconv.ParseFloat(row[1], 64); err != nil {
			t.Fatal(err)
		}
		ready, err := l.Learner.Open(sets.Problem(), rounds)
		if err != nil {
			t.Fatal(err)
		}
		proved[i] = math.Inf(1)
		if claim := privacy.ClaimOf(ready); claim.Held() {
			proved[i] = claim.Epsilon()
		}
		if now := fmt.Sprintf("%.3g", proved[i]); now != row[3] {
			t.Errorf("%s proves %s, and regret.csv has %s", l.Name, now, row[3])
		}
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(readme)), " ")
	for _, want := range []string{
		fmt.Sprintf("not private | – | %.0f |", regret[0]),
		fmt.Sprintf("the least regret bound | ε = %.2g | %.0f |", proved[1], regret[1]),
		fmt.Sprintf("as much as needed | ε = %.2g | %s |", proved[2], cell.Thousands(int(regret[2]))),
		fmt.Sprintf("noise as printed | ε = %.2g | %s |", proved[3], cell.Thousands(int(regret[3]))),
		fmt.Sprintf("proves %.2g, and pays for it %s times the regret", proved[3], []string{7: "seven", 8: "eight", 9: "nine"}[int(math.Round(regret[3]/regret[2]))]),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}
