package largest

// Of appends the indices of the k largest numbers to dst, the largest first.
func Of(of []float64, k int, dst []int) []int {
	if k <= 0 {
		return dst
	}
	start := len(dst)
	for i, u := range of {
		chosen := dst[start:]
		if len(chosen) < k {
			dst = append(dst, i)
			chosen = dst[start:]
		} else if u <= of[chosen[k-1]] {
			continue
		}
		place := len(chosen) - 1 // of i, among those chosen so far
		for ; place > 0 && of[chosen[place-1]] < u; place-- {
			chosen[place] = chosen[place-1]
		}
		chosen[place] = i
	}
	return dst
}
