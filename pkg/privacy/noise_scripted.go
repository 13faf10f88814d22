package privacy

import "math"

// ScriptedNoise returns noise that a test prescribes; it hides nobody. fill writes the numbers of
// each draw; a draw of integers takes them rounded. Response answers truthfully, Shuffle changes
// nothing, and Round rounds down. No Ledger is written.
func ScriptedNoise(fill func(law Law, dst []float64)) *Noise { return &Noise{script: fill} }

// integers makes a draw of integers by the script.
func (n *Noise) integers(law Law, dst []int64) {
	numbers := make([]float64, len(dst))
	n.script(law, numbers)
	for i, v := range numbers {
		dst[i] = int64(math.RoundToEven(v))
	}
}
