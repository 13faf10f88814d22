package packed

// Dots writes the inner products of y with some rows into dst. Row i is the first len(y) numbers
// from rows[i*stride]. The results are the very numbers of [Dot].
func Dots(dst, rows []float64, stride int, y []float64) {
	done := 0
	if vectors && len(dst) >= 4 {
		done = len(dst) &^ 3
		_ = rows[:(done-1)*stride+len(y)]
		dotsVectors(dst[:done], rows, stride, y)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = Dot(y, rows[i*stride:])
	}
}
