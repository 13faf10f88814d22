package packed

// Quadratics writes x^T A x into dst for each row x of a row-major matrix, len(dst) rows of length
// n. The results are the very numbers of Quadratic; it takes about half the time, or less.
func Quadratics(dst, a, rows []float64, n int) {
	if vectors && n > short {
		var dots [32]float64
		for len(dst) > 0 {
			sums := dst[:min(len(dst), len(dots))]
			clear(sums)
			row := a
			for i := range n {
				Dots(dots[:len(sums)], rows, n, row[:i])
				on := row[i]
				for k := range sums {
					v := rows[k*n+i]
					sums[k] += float64(v * (float64(2*dots[k]) + float64(on*v)))
				}
				row = row[i+1:]
			}
			dst, rows = dst[len(sums):], rows[len(sums)*n:]
		}
		return
	}
	if n != 5 {
		for i := range dst {
			dst[i] = Quadratic(a, rows[i*n:(i+1)*n])
		}
		return
	}
	b := (*[15]float64)(a)
	b0, b1, b2, b3, b4, b5, b6, b7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
	b8, b9, b10, b11, b12, b13, b14 := b[8], b[9], b[10], b[11], b[12], b[13], b[14]
	for i := range dst {
		x := (*[5]float64)(rows[:5])
		rows = rows[5:]
		x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
		on := float64(b0*x0*x0) + float64(b2*x1*x1) + float64(b5*x2*x2) + (float64(b9*x3*x3) + float64(b14*x4*x4))
		off := float64(b1*x0*x1) + float64((float64(b3*x0)+float64(b4*x1))*x2) + float64(((float64(b6*x0)+float64(b7*x1))+float64(b8*x2))*x3) + float64(((float64(b10*x0)+float64(b11*x1))+(float64(b12*x2)+float64(b13*x3)))*x4)
		dst[i] = on + float64(2*off)
	}
}
