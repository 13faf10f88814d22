//go:build !noasm

#include "textflag.h"

// BOTH adds the numbers of eight arms, times the factors Y12 and Y13, to two sums.
#define BOTH(at, S, T)             \
	VMOVUPS     at(DX), Y14    \
	VFMADD231PS Y14, Y12, S    \
	VFMADD231PS Y14, Y13, T

// ROW doubles a sum, adds the numbers of eight arms times F, and adds all times the numbers to Q.
#define ROW(at, F, S, Q)           \
	VMOVUPS     at(DX), Y14    \
	VADDPS      S, S, S        \
	VFMADD231PS Y14, F, S      \
	VFMADD231PS Y14, S, Q

// FOUR adds the numbers of 32 arms, times the factor Y12, to Y0 to Y3.
#define FOUR                           \
	VFMADD231PS (DX), Y12, Y0      \
	VFMADD231PS 32(DX), Y12, Y1    \
	VFMADD231PS 64(DX), Y12, Y2    \
	VFMADD231PS 96(DX), Y12, Y3    \
	ADDQ        $128, DX

// func boundVectors(bounds, columns, factors []float32, dim int)
TEXT ·boundVectors(SB), NOSPLIT, $0-80
	MOVQ bounds_base+0(FP), DI
	MOVQ bounds_len+8(FP), CX
	MOVQ columns_base+24(FP), SI
	MOVQ factors_base+48(FP), R9
	MOVQ dim+72(FP), R10
	SHRQ $5, CX

block: // Y8 to Y11 have x^T A x
	LEAQ    4(R9)(R10*4), R11
	VBROADCASTSS (R11), Y8
	VMOVAPS Y8, Y9
	VMOVAPS Y8, Y10
	VMOVAPS Y8, Y11
	ADDQ    $4, R11
	XORQ    R12, R12

pair: // two rows of A, which begin at R11 and R13
	LEAQ   1(R12), AX
	CMPQ   AX, R10
	JGE    odd
	LEAQ   4(R11)(R12*4), R13
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, DX
	MOVQ   R12, BX
	TESTQ  BX, BX
	JZ     diagonal

	PCALIGN $64
before:
	VBROADCASTSS (R11), Y12
	VBROADCASTSS (R13), Y13
	BOTH(0, Y0, Y4)
	BOTH(32, Y1, Y5)
	BOTH(64, Y2, Y6)
	BOTH(96, Y3, Y7)
	ADDQ $4, R11
	ADDQ $4, R13
	ADDQ $128, DX
	DECQ BX
	JNZ  before

diagonal:
	VBROADCASTSS (R11), Y12
	VBROADCASTSS (R13), Y13
	VBROADCASTSS 4(R13), Y15
	VFMADD231PS  (DX), Y13, Y4
	VFMADD231PS  32(DX), Y13, Y5
	VFMADD231PS  64(DX), Y13, Y6
	VFMADD231PS  96(DX), Y13, Y7
	ROW(0, Y12, Y0, Y8)
	ROW(32, Y12, Y1, Y9)
	ROW(64, Y12, Y2, Y10)
	ROW(96, Y12, Y3, Y11)
	ROW(128, Y15, Y4, Y8)
	ROW(160, Y15, Y5, Y9)
	ROW(192, Y15, Y6, Y10)
	ROW(224, Y15, Y7, Y11)
	LEAQ 8(R13), R11
	ADDQ $2, R12
	JMP  pair

odd: // the last row, if there is one
	CMPQ   R12, R10
	JGE    linear
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, DX
	MOVQ   R12, BX
	TESTQ  BX, BX
	JZ     corner

last:
	VBROADCASTSS (R11), Y12
	FOUR
	ADDQ $4, R11
	DECQ BX
	JNZ  last

corner:
	VBROADCASTSS (R11), Y12
	ROW(0, Y12, Y0, Y8)
	ROW(32, Y12, Y1, Y9)
	ROW(64, Y12, Y2, Y10)
	ROW(96, Y12, Y3, Y11)

linear: // Y0 to Y3 have <x, centre>
	MOVQ    R9, R11
	VBROADCASTSS (R11), Y0
	VMOVAPS Y0, Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y0, Y3
	MOVQ    SI, DX
	MOVQ    R10, BX

dot:
	ADDQ $4, R11
	VBROADCASTSS (R11), Y12
	FOUR
	DECQ BX
	JNZ  dot
	MOVQ    DX, SI
	VSQRTPS Y8, Y8
	VSQRTPS Y9, Y9
	VSQRTPS Y10, Y10
	VSQRTPS Y11, Y11
	VADDPS  Y8, Y0, Y0
	VADDPS  Y9, Y1, Y1
	VADDPS  Y10, Y2, Y2
	VADDPS  Y11, Y3, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	DECQ    CX
	JNZ     block
	VZEROUPPER
	RET
