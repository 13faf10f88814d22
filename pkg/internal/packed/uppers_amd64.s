//go:build !noasm

#include "textflag.h"

// COLUMN loads a number of each of four rows.
#define COLUMN(at, X, Y)               \
	VMOVSD      at(SI), X          \
	VMOVHPD     40+at(SI), X, X    \
	VMOVSD      80+at(SI), X8      \
	VMOVHPD     120+at(SI), X8, X8 \
	VINSERTF128 $1, X8, Y, Y

// TIMES sets Y to a number of a table times X.
#define TIMES(table, i, X, Y)            \
	VBROADCASTSD (8*i)(table), Y \
	VMULPD       X, Y, Y

// func uppersVectors(dst, rows []float64, centre *[5]float64, a *[15]float64, beta float64, tops, checks *[4]float64)
TEXT ·uppersVectors(SB), NOSPLIT, $0-88
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ rows_base+24(FP), SI
	MOVQ centre+48(FP), BX
	MOVQ a+56(FP), DX
	VBROADCASTSD beta+64(FP), Y15
	MOVQ tops+72(FP), R8
	MOVQ checks+80(FP), R9
	VXORPD   Y13, Y13, Y13
	VPCMPEQD X14, X14, X14 // -Inf: all bits, but the low 52
	VPSLLQ   $52, X14, X14
	VINSERTF128 $1, X14, Y14, Y14
	SHRQ $2, CX

next:
	COLUMN(0, X0, Y0)
	COLUMN(8, X1, Y1)
	COLUMN(16, X2, Y2)
	COLUMN(24, X3, Y3)
	COLUMN(32, X4, Y4)

	// Y5: the squares' part of x^T A x
	TIMES(DX, 0, Y0, Y5)
	VMULPD Y0, Y5, Y5
	TIMES(DX, 2, Y1, Y8)
	VMULPD Y1, Y8, Y8
	VADDPD Y8, Y5, Y5
	TIMES(DX, 5, Y2, Y8)
	VMULPD Y2, Y8, Y8
	VADDPD Y8, Y5, Y5
	TIMES(DX, 9, Y3, Y8)
	VMULPD Y3, Y8, Y8
	TIMES(DX, 14, Y4, Y9)
	VMULPD Y4, Y9, Y9
	VADDPD Y9, Y8, Y8
	VADDPD Y8, Y5, Y5

	// Y6: half of the rest
	TIMES(DX, 1, Y0, Y6)
	VMULPD Y1, Y6, Y6
	TIMES(DX, 3, Y0, Y8)
	TIMES(DX, 4, Y1, Y9)
	VADDPD Y9, Y8, Y8
	VMULPD Y2, Y8, Y8
	VADDPD Y8, Y6, Y6
	TIMES(DX, 6, Y0, Y8)
	TIMES(DX, 7, Y1, Y9)
	VADDPD Y9, Y8, Y8
	TIMES(DX, 8, Y2, Y9)
	VADDPD Y9, Y8, Y8
	VMULPD Y3, Y8, Y8
	VADDPD Y8, Y6, Y6
	TIMES(DX, 10, Y0, Y8)
	TIMES(DX, 11, Y1, Y9)
	VADDPD Y9, Y8, Y8
	TIMES(DX, 12, Y2, Y9)
	TIMES(DX, 13, Y3, Y10)
	VADDPD Y10, Y9, Y9
	VADDPD Y9, Y8, Y8
	VMULPD Y4, Y8, Y8
	VADDPD Y8, Y6, Y6
	VADDPD Y6, Y6, Y6
	VADDPD Y6, Y5, Y5
	VSQRTPD Y5, Y5
	VMULPD Y15, Y5, Y5

	// Y7: <x, centre>
	TIMES(BX, 0, Y0, Y7)
	TIMES(BX, 1, Y1, Y8)
	VADDPD Y8, Y7, Y7
	TIMES(BX, 2, Y2, Y8)
	TIMES(BX, 3, Y3, Y9)
	VADDPD Y9, Y8, Y8
	VADDPD Y8, Y7, Y7
	TIMES(BX, 4, Y4, Y8)
	VADDPD Y8, Y7, Y7

	VADDPD  Y5, Y7, Y7
	VMOVUPD Y7, (DI)
	VMAXPD  Y7, Y14, Y14
	VSUBPD  Y7, Y7, Y7
	VADDPD  Y7, Y13, Y13
	ADDQ    $32, DI
	ADDQ    $160, SI
	DECQ    CX
	JNZ     next

	VMOVUPD Y14, (R8)
	VMOVUPD Y13, (R9)
	VZEROUPPER
	RET
