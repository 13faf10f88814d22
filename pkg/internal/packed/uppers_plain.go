//go:build !amd64 || noasm

package packed

const vectors = false

func uppersVectors(dst, rows []float64, centre *[5]float64, a *[15]float64, beta float64, tops, checks *[4]float64) {
}
