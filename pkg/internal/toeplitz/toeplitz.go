// Package toeplitz multiplies a lower triangular Toeplitz matrix by vectors whose entries come one
// at a time, for many vectors at once.
//
//   - [Product] does so; read it first.
//   - transform is the Fourier transform that long blocks are multiplied by.
package toeplitz

// Product is the product of a lower triangular Toeplitz matrix with several columns,
//
//	y_t = sum_{s <= t} f_{t-s} x_s,   t = 0, 1, ..., len(f)-1,
//
// where x_t becomes known after y_{t-1} has been read. All columns take O(log^2 t) operations a
// step on average, against t of the plain sum.
//
// Steps are cut into blocks of base steps. Within a block, sums are taken directly. At the end of a
// block, whose number of steps is t, B is the largest power of two that divides t. The last B
// entries of x are then multiplied by f_1, ..., f_{2B-1} and added to the next B entries of y. Each
// pair s < t of two blocks is met once. (This is relaxed multiplication: van der Hoeven, "Relax,
// but don't be too lazy", 2002.) Blocks shorter than long, or with fewer entries ahead, are
// multiplied directly, others by Fourier transforms, two columns at once as real and imaginary
// parts.
//
// The order of all sums is fixed and no operation is fused, so the numbers are the same on every
// machine; on amd64 two sums are taken at a time. Their error is a few units in the last place of
// |f| |x|, the Euclidean norms.
type Product struct {
	f       []float64
	columns int
	size    int // entries of a column: len(f), rounded up to a multiple of base
	steps   int
	// entries holds the columns, one after another. An entry is x_t up to the current step, and what
	// has been added to y_t beyond.
	entries  []float64
	spectra  []spectrum   // of f_0, ..., f_{2B-1}, for B = long, 2 long, ...
	roots    []complex128 // of unity, for transform
	work     []complex128
	longest  int // largest B
	reversed []float64
}

// spectrum is the transform of f_0, ..., f_{2B-1}, divided by 2B.
type spectrum []complex128

const (
	base = 16 // steps whose sums are taken directly; a multiple of lanes
	long = 64 // shortest block that is multiplied by Fourier transforms
)

// Numbers returns how many numbers of 8 bytes a product keeps at most.
func Numbers(length int, columns float64) float64 {
	return float64((float64(columns) + 20) * float64(length+base)) // columns may be a product
}

// NewProduct returns the product of the Toeplitz matrix with first column f, len(f) >= 1, with that
// many columns. It keeps f.
func NewProduct(f []float64, columns int) *Product {
	p := &Product{f: f, columns: columns, size: (len(f) + base - 1) / base * base}
	p.entries = make([]float64, p.size*columns)
	p.longest = base
	for 2*p.longest < p.size {
		p.longest *= 2
	}
	// f backwards, with zeros beyond its end
	padded := make([]float64, 2*p.longest)
	copy(padded, f)
	p.reversed = make([]float64, len(padded))
	for i, v := range padded {
		p.reversed[len(padded)-1-i] = v
	}
	if p.longest < long {
		return p
	}
	p.roots, p.work = roots(2*p.longest), make([]complex128, 2*p.longest)
	for b := long; b <= p.longest; b *= 2 {
		s := make(spectrum, 2*b)
		for i := range s {
			s[i] = complex(padded[i]/float64(2*b), 0)
		}
		transform(s, p.roots)
		p.spectra = append(p.spectra, s)
	}
	return p
}

// Begin returns the product of the same matrix with new vectors in so many columns. It shares what
// depends on the matrix alone.
func (p *Product) Begin(columns int) *Product {
	own := *p
	own.columns, own.steps = columns, 0
	own.entries, own.work = make([]float64, p.size*columns), make([]complex128, len(p.work))
	return &own
}

// Next takes in the next entry of each column and writes the product's entries into y. It may be
// called len(f) times. y may be x.
func (p *Product) Next(y, x []float64) {
	t := p.steps
	start := t &^ (base - 1)
	behind := p.reversed[len(p.reversed)-1-(t-start):] // f_{t-start}, ..., f_0
	for c, v := range x[:p.columns] {
		block := p.entries[c*p.size+start : c*p.size+t+1]
		last := len(block) - 1
		sum := block[last]
		block[last] = v
		f := behind[:len(block)]
		for i, w := range block {
			sum += float64(w * f[i])
		}
		y[c] = sum
	}
	if p.steps++; p.steps%base == 0 && p.steps < len(p.f) {
		p.carry()
	}
}

// carry adds the share of the last block to the entries ahead.
func (p *Product) carry() {
	b := p.steps & -p.steps
	if b >= long && p.size-p.steps >= long {
		p.carryLong(b)
		return
	}
	for c := range p.columns {
		column := p.entries[c*p.size : (c+1)*p.size]
		x, ahead := column[p.steps-b:p.steps], column[p.steps:min(p.steps+b, p.size)]
		// ahead[j] += sum_i x[i] f[b+j-i]
		p.direct(ahead, x)
	}
}

// lanes is how many sums direct takes at once.
const lanes = 16

// direct adds sum_i x_i f_{len(x)+j-i} to each dst_j.
func (p *Product) direct(dst, x []float64) {
	for j := 0; j < len(dst); j += lanes {
		// behind[i+lanes-1-k] is f_{len(x)+j+k-i}
		behind := p.reversed[len(p.reversed)-len(x)-j-lanes:]
		add((*[lanes]float64)(dst[j:]), x, behind[:len(x)+lanes-1])
	}
}

// addPlain adds x_i behind[i+lanes-1-k] to each sum k, for i = 0, 1, ... in turn.
func addPlain(sums *[lanes]float64, x, behind []float64) {
	for k := 0; k < lanes; k += 8 {
		part := (*[8]float64)(sums[k:])
		s0, s1, s2, s3, s4, s5, s6, s7 := part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7]
		behind := behind[lanes-8-k:][:len(x)+7]
		for i, v := range x {
			g := (*[8]float64)(behind[i:])
			s0 += float64(v * g[7])
			s1 += float64(v * g[6])
			s2 += float64(v * g[5])
			s3 += float64(v * g[4])
			s4 += float64(v * g[3])
			s5 += float64(v * g[2])
			s6 += float64(v * g[1])
			s7 += float64(v * g[0])
		}
		*part = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// carryLong is carry for b >= long. The cyclic product of 2b entries, x padded with zeros, is right
// in its second half.
func (p *Product) carryLong(b int) {
	level := 0
	for long<<level < b {
		level++
	}
	work, f := p.work[:2*b], p.spectra[level]
	for c := 0; c < p.columns; c += 2 {
		first := p.entries[c*p.size : (c+1)*p.size]
		second := first // of an odd last column
		if c+1 < p.columns {
			second = p.entries[(c+1)*p.size : (c+2)*p.size]
		}
		x, y := first[p.steps-b:p.steps], second[p.steps-b:p.steps]
		for i, v := range x {
			work[i] = complex(v, y[i])
		}
		clear(work[b:])
		transform(work, p.roots)
		for i, v := range work {
			work[i] = times(v, f[i])
		}
		inverse(work, p.roots)
		x, y = first[p.steps:min(p.steps+b, p.size)], second[p.steps:min(p.steps+b, p.size)]
		for i, v := range work[b : b+len(x)] {
			x[i] += real(v)
			if c+1 < p.columns {
				y[i] += imag(v)
			}
		}
	}
}
