package packed

// AddDiagonal adds a multiple of the identity to a packed symmetric matrix.
func AddDiagonal(m []float64, dim int, c float64) {
	for i, p := 0, 0; i < dim; i++ {
		m[p] += c
		p += i + 2
	}
}
