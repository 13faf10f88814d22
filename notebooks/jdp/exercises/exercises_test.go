package exercises

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func standardRegretStub(epsilon, delta float64) float64 {
	return 0.25 // your turn
}

func standardRegret(epsilon, delta float64) float64 {
	return 2 * (1 - delta) / (1 + math.Exp(epsilon))
}

func treeNodesStub(t, horizon int) (summed, most int) {
	return 1, t // your turn
}

func treeNodes(t, horizon int) (summed, most int) {
	for ; t > 0; t /= 2 {
		summed += t % 2
	}
	for rows := horizon - 1; rows > 0; rows /= 2 {
		most++
	}
	return summed, most
}

func leastEigenvalueStub(a1, b, a2, shift float64) float64 {
	return min(a1, a2) // your turn
}

func leastEigenvalue(a1, b, a2, shift float64) float64 {
	return (a1+a2)/2 - math.Hypot((a1-a2)/2, b) + shift
}

func leastSDStub(horizon int, bound, mu float64) float64 {
	return bound * bound / mu // your turn: this is enough for one node
}

func leastSD(horizon int, bound, mu float64) float64 {
	nodes := math.Floor(math.Log2(float64(horizon-1))) + 1
	return math.Sqrt(nodes) * bound * bound / mu
}

func timesTooLargeStub(horizon int, epsilon, delta, mu float64) float64 {
	return 1 // your turn: this says that no noise is wasted
}

func timesTooLarge(horizon int, epsilon, delta, mu float64) float64 {
	counted := math.Floor(math.Log2(float64(horizon-1))) + 1 // nodes of a row
	printed := 1 + math.Ceil(math.Log2(float64(horizon)))    // as the paper counts them
	return 4 * math.Sqrt(printed/counted) * math.Log(4/delta) * mu / epsilon
}

func widenedStub(first, rest, times float64) float64 {
	return times * (first + rest) // your turn
}

func widened(first, rest, times float64) float64 {
	return first + math.Sqrt(times)*rest
}

func cheaperStub(printed, exact, none float64) (regret, privacy float64) {
	return 14, 14 // your turn: this is your colleague's answer
}

func cheaper(printed, exact, none float64) (regret, privacy float64) {
	return printed / exact, (printed - none) / (exact - none)
}

func pseudoRegretStub(means [][]float64, played []int) float64 {
	return 0 // your turn
}

func pseudoRegret(means [][]float64, played []int) (regret float64) {
	for t, arm := range played {
		regret += slices.Max(means[t]) - means[t][arm]
	}
	return regret
}

func clipStub(row []float64, bound float64) []float64 {
	return row // your turn
}

func clip(row []float64, bound float64) []float64 {
	norm := 0.0
	for _, v := range row {
		norm = math.Hypot(norm, v)
	}
	short := slices.Clone(row)
	if norm > bound {
		for i := range short {
			short[i] *= bound / norm
		}
	}
	return short
}

func widthStub(logDet, rhoMin, rhoMax, gamma, alpha float64, dim int) float64 {
	return 1 // your turn
}

func width(logDet, rhoMin, rhoMax, gamma, alpha float64, dim int) float64 {
	return math.Sqrt(2*math.Log(2/alpha)+logDet-float64(dim)*math.Log(rhoMin)) + math.Sqrt(rhoMax) + gamma
}

func exponentStub(dims, regrets []float64) float64 {
	return 1 // your turn
}

func exponent(dims, regrets []float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(dims))
	for i := range dims {
		a, b := math.Log(dims[i]), math.Log(regrets[i])
		x, y, xx, xy = x+a/n, y+b/n, xx+a*a/n, xy+a*b/n
	}
	return (xy - x*y) / (xx - x*x)
}

func leastPriceStub(arms int, n, epsilon float64) float64 {
	return 0 // your turn
}

func leastPrice(arms int, n, epsilon float64) float64 {
	return float64(arms-1) * math.Log(n) / (200 * epsilon)
}

func shiftForStub(rhoMin, upsilon float64) (shift, rhoMax float64) {
	return 2 * upsilon, 3 * upsilon // your turn: this is the paper's, whatever rhoMin is
}

func shiftFor(rhoMin, upsilon float64) (shift, rhoMax float64) {
	return rhoMin + upsilon, rhoMin + 2*upsilon
}

func rootEntryStub(i int) float64 {
	return 1 // your turn
}

func rootEntry(i int) float64 {
	entry := 1.0
	for k := 1; k <= i; k++ {
		entry *= float64(2*k-1) / float64(2*k)
	}
	return entry
}

func excludesStub(p, q, delta float64) float64 {
	return 0 // your turn
}

func excludes(p, q, delta float64) float64 {
	return max(0, math.Log((p-delta)/q))
}

func releasesStub(n, eta float64) float64 {
	return n // your turn
}

func releases(n, eta float64) float64 {
	return math.Log(n) / math.Log(1+eta)
}

func narrowsStub(d int, rhoMin, rhoMax float64) (rounds float64) {
	return rhoMax // your turn
}

func narrows(d int, rhoMin, rhoMax float64) (rounds float64) {
	return float64(d) * (rhoMax - rhoMin)
}

func logisticRowStub(z, y float64) (a, b float64) {
	return 1, y // your turn: these are LinUCB's
}

func logisticRow(z, y float64) (a, b float64) {
	g := 1 / (1 + math.Exp(-z))
	w := g * (1 - g)
	return math.Sqrt(w), (y - g + w*z) / math.Sqrt(w)
}

func signalsStub(s float64) (linUCB, weighted float64) {
	return s / 2, s / 2 // your turn: of LinUCB's this is the price of a round
}

func signals(s float64) (linUCB, weighted float64) {
	moves := ((1+s)/2 - (1-s)/2) / 2
	return moves * s / math.Sqrt2, moves
}

var answers = map[string]notebooktest.Answer{
	"standard privacy": {Name: "standardRegret", Stub: standardRegretStub, Solution: standardRegret, Wrong: map[string]any{
		`return 2/(1+math.Exp(epsilon)) - 2*delta`:     func(epsilon, delta float64) float64 { return 2/(1+math.Exp(epsilon)) - 2*delta },
		`return (1 - delta) / (1 + math.Exp(epsilon))`: func(epsilon, delta float64) float64 { return (1 - delta) / (1 + math.Exp(epsilon)) },
	}},
	"nodes": {Name: "treeNodes", Stub: treeNodesStub, Solution: treeNodes, Wrong: map[string]any{
		`summed = bits.Len(uint(t))`: func(t, horizon int) (summed, most int) {
			summed = bits.Len(uint(t))
			return summed, bits.Len(uint(horizon - 1))
		},
		`most = bits.Len(uint(horizon))`: func(t, horizon int) (summed, most int) {
			most = bits.Len(uint(horizon))
			return bits.OnesCount(uint(t)), most
		},
	}},
	"shifted eigenvalue": {Name: "leastEigenvalue", Stub: leastEigenvalueStub, Solution: leastEigenvalue},
	"least noise":        {Name: "leastSD", Stub: leastSDStub, Solution: leastSD},
	"wasted noise": {Name: "timesTooLarge", Stub: timesTooLargeStub, Solution: timesTooLarge, Wrong: map[string]any{
		`return 4 * math.Log(4/delta) * mu / epsilon`: func(horizon int, epsilon, delta, mu float64) float64 { return 4 * math.Log(4/delta) * mu / epsilon },
		`return 4 * math.Sqrt(printed/counted) * math.Log(1/delta) * mu / epsilon`: func(horizon int, epsilon, delta, mu float64) float64 {
			counted := math.Floor(math.Log2(float64(horizon-1))) + 1
			printed := 1 + math.Ceil(math.Log2(float64(horizon)))
			return 4 * math.Sqrt(printed/counted) * math.Log(1/delta) * mu / epsilon
		},
	}},
	"widened": {Name: "widened", Stub: widenedStub, Solution: widened, Wrong: map[string]any{
		`return first + times*rest`:                func(first, rest, times float64) float64 { return first + times*rest },
		`return math.Sqrt(times) * (first + rest)`: func(first, rest, times float64) float64 { return math.Sqrt(times) * (first + rest) },
	}},
	"cheaper": {Name: "cheaper", Stub: cheaperStub, Solution: cheaper, Wrong: map[string]any{
		`return printed / exact, printed / (exact - none)`: func(printed, exact, none float64) (regret, privacy float64) {
			return printed / exact, printed / (exact - none)
		},
		`return exact / printed, (exact - none) / (printed - none)`: func(printed, exact, none float64) (regret, privacy float64) {
			return exact / printed, (exact - none) / (printed - none)
		},
	}},
	"pseudo-regret": {Name: "pseudoRegret", Stub: pseudoRegretStub, Solution: pseudoRegret},
	"clip":          {Name: "clip", Stub: clipStub, Solution: clip},
	"width":         {Name: "width", Stub: widthStub, Solution: width},
	"exponent":      {Name: "exponent", Stub: exponentStub, Solution: exponent},
	"least price":   {Name: "leastPrice", Stub: leastPriceStub, Solution: leastPrice},
	"shift":         {Name: "shiftFor", Stub: shiftForStub, Solution: shiftFor},
	"square root":   {Name: "rootEntry", Stub: rootEntryStub, Solution: rootEntry},
	"releases":      {Name: "releases", Stub: releasesStub, Solution: releases},
	"narrows":       {Name: "narrows", Stub: narrowsStub, Solution: narrows},
	"logistic row":  {Name: "logisticRow", Stub: logisticRowStub, Solution: logisticRow},
	"signals":       {Name: "signals", Stub: signalsStub, Solution: signals},
	"excludes":      {Name: "excludes", Stub: excludesStub, Solution: excludes},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../03-jdp-linucb.ipynb", "exercises_test.go", answers)
}
