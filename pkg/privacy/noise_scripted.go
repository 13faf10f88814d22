package privacy

import "math"

// Script is a source of noise that a test prescribes; it hides nobody. NewNoise takes it where it
// takes a seeded source, so that a whole learner can be run under it. The function writes the
// numbers of each draw; a draw of integers takes them rounded. Response answers truthfully, Shuffle
// changes nothing, and Round rounds down. No Ledger is written.
type Script func(law Law, dst []float64)

// Uint64 panics: whoever draws bits does not say by which law.
func (Script) Uint64() uint64 { panic("privacy: Script: noise that is not drawn by a privacy.Noise") }

// ScriptedNoise returns the noise of a Script.
func ScriptedNoise(fill Script) *Noise { return NewNoise(fill) }

// integers makes a draw of integers by the script.
func (n *Noise) integers(law Law, dst []int64) {
	numbers := make([]float64, len(dst))
	n.script(law, numbers)
	for i, v := range numbers {
		dst[i] = int64(math.RoundToEven(v))
	}
}
