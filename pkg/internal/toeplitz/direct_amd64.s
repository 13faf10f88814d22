//go:build !noasm

#include "textflag.h"

// Pairs of sums are held backwards, as reversed is: X0 has sums[15] and sums[14], X7 has sums[1]
// and sums[0].

#define LOAD(at, X)  \
	MOVUPD at(DI), X \
	SHUFPD $1, X, X

#define STORE(at, X)  \
	SHUFPD $1, X, X \
	MOVUPD X, at(DI)

#define ADD(at, X)        \
	MOVUPD at(DX), X9 \
	MULPD  X8, X9     \
	ADDPD  X9, X

// func add(sums *[lanes]float64, x, behind []float64)
TEXT ·add(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ behind_base+32(FP), DX
	TESTQ CX, CX
	JZ   end
	LOAD(112, X0)
	LOAD(96, X1)
	LOAD(80, X2)
	LOAD(64, X3)
	LOAD(48, X4)
	LOAD(32, X5)
	LOAD(16, X6)
	LOAD(0, X7)

next:
	MOVSD    (SI), X8
	UNPCKLPD X8, X8
	ADD(0, X0)
	ADD(16, X1)
	ADD(32, X2)
	ADD(48, X3)
	ADD(64, X4)
	ADD(80, X5)
	ADD(96, X6)
	ADD(112, X7)
	ADDQ $8, SI
	ADDQ $8, DX
	DECQ CX
	JNZ  next

	STORE(112, X0)
	STORE(96, X1)
	STORE(80, X2)
	STORE(64, X3)
	STORE(48, X4)
	STORE(32, X5)
	STORE(16, X6)
	STORE(0, X7)

end:
	RET
