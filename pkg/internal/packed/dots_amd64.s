//go:build !noasm

#include "textflag.h"

// PRODUCT adds four numbers of a row, times Y4, to Y.
#define PRODUCT(row, T, Y)          \
	VMULPD (row)(BX*1), Y4, T   \
	VADDPD T, Y, Y

// LAST adds a number of a row, times X4, to the first of Y. Y4's other numbers are 0.
#define LAST(row, X, T, Y)          \
	VMULSD (row)(BX*1), X4, X   \
	VADDPD T, Y, Y

// func dotsVectors(dst, rows []float64, stride int, y []float64)
TEXT ·dotsVectors(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ rows_base+24(FP), SI
	MOVQ stride+48(FP), R8
	MOVQ y_base+56(FP), DX
	MOVQ y_len+64(FP), R9
	SHLQ $3, R8
	MOVQ R9, R10
	SHRQ $2, R10
	ANDQ $3, R9
	SHRQ $2, CX

block: // Y0 to Y3 have four partial sums of a row each, as Dot has
	LEAQ   (SI)(R8*1), R11
	LEAQ   (SI)(R8*2), R12
	LEAQ   (R11)(R8*2), R13
	XORQ   BX, BX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   R10, AX
	TESTQ  AX, AX
	JZ     rest

four:
	VMOVUPD (DX)(BX*1), Y4
	PRODUCT(SI, Y5, Y0)
	PRODUCT(R11, Y6, Y1)
	PRODUCT(R12, Y7, Y2)
	PRODUCT(R13, Y8, Y3)
	ADDQ    $32, BX
	DECQ    AX
	JNZ     four

rest:
	MOVQ  R9, AX
	TESTQ AX, AX
	JZ    sums

one:
	VMOVSD (DX)(BX*1), X4
	LAST(SI, X5, Y5, Y0)
	LAST(R11, X6, Y6, Y1)
	LAST(R12, X7, Y7, Y2)
	LAST(R13, X8, Y8, Y3)
	ADDQ   $8, BX
	DECQ   AX
	JNZ    one

sums: // (s0 + s1) + (s2 + s3)
	VHADDPD    Y1, Y0, Y0
	VHADDPD    Y3, Y2, Y2
	VPERM2F128 $0x20, Y2, Y0, Y1
	VPERM2F128 $0x31, Y2, Y0, Y3
	VADDPD     Y3, Y1, Y1
	VMOVUPD    Y1, (DI)
	ADDQ       $32, DI
	LEAQ       (SI)(R8*4), SI
	DECQ       CX
	JNZ        block
	VZEROUPPER
	RET

// func outerVectors(a []float64, c float64, x []float64)
TEXT ·outerVectors(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), DI
	VBROADCASTSD c+24(FP), Y15
	MOVQ x_base+32(FP), SI
	MOVQ x_len+40(FP), CX
	XORQ R8, R8

row:
	VBROADCASTSD (SI)(R8*8), Y0
	VMULPD       Y15, Y0, Y0
	INCQ         R8
	MOVQ         SI, DX
	MOVQ         R8, AX
	MOVQ         R8, R9
	ANDQ         $3, R9
	SHRQ         $2, AX
	JZ           last

many:
	VMULPD  (DX), Y0, Y1
	VADDPD  (DI), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, DX
	ADDQ    $32, DI
	DECQ    AX
	JNZ     many

last:
	TESTQ R9, R9
	JZ    end

single:
	VMULSD (DX), X0, X1
	VADDSD (DI), X1, X1
	VMOVSD X1, (DI)
	ADDQ   $8, DX
	ADDQ   $8, DI
	DECQ   R9
	JNZ    single

end:
	CMPQ R8, CX
	JLT  row
	VZEROUPPER
	RET

// func combineVectors(dst *[16]float64, c, m []float64, cStride, mStride, rows int)
TEXT ·combineVectors(SB), NOSPLIT, $0-80
	MOVQ   dst+0(FP), DI
	MOVQ   c_base+8(FP), SI
	MOVQ   m_base+32(FP), DX
	MOVQ   cStride+56(FP), R8
	MOVQ   mStride+64(FP), R9
	MOVQ   rows+72(FP), CX
	SHLQ   $3, R8
	SHLQ   $3, R9
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

next:
	VBROADCASTSD (SI), Y4
	VMULPD       (DX), Y4, Y5
	VADDPD       Y5, Y0, Y0
	VMULPD       32(DX), Y4, Y6
	VADDPD       Y6, Y1, Y1
	VMULPD       64(DX), Y4, Y7
	VADDPD       Y7, Y2, Y2
	VMULPD       96(DX), Y4, Y8
	VADDPD       Y8, Y3, Y3
	ADDQ         R8, SI
	ADDQ         R9, DX
	DECQ         CX
	JNZ          next
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	VZEROUPPER
	RET

// TERM sets T to a number of column j times a row's four numbers.
#define TERM(T)                    \
	VBROADCASTSD (BX), T       \
	VMULPD       (DX), T, T    \
	ADDQ         R8, BX        \
	ADDQ         R8, DX

// func columnVectors(m, diagonal []float64, stride, j, plain int)
TEXT ·columnVectors(SB), NOSPLIT, $0-72
	MOVQ m_base+0(FP), SI
	MOVQ diagonal_base+24(FP), R12
	MOVQ stride+48(FP), R8
	MOVQ j+56(FP), R9
	MOVQ plain+64(FP), R13
	MOVQ R8, CX
	SHLQ $3, R8
	MOVQ R9, DI
	IMULQ R8, DI
	ADDQ SI, DI              // row j
	VBROADCASTSD (DI)(R9*8), Y15
	LEAQ (SI)(R9*8), R11     // column j
	MOVQ R9, R10
	INCQ R10
	ANDQ $-4, R10            // i

lanes:
	CMPQ    R10, CX
	JGE     done
	MOVQ    R11, BX
	LEAQ    (SI)(R10*8), DX
	VMOVUPD (DI)(R10*8), Y8
	MOVQ    R9, AX
	CMPQ    AX, R13
	JGT     unrolled
	TESTQ   AX, AX
	JZ      divide

chain:
	TERM(Y4)
	VSUBPD Y4, Y8, Y8
	DECQ   AX
	JNZ    chain
	JMP    divide

unrolled: // four partial sums, as Dot has
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	SHRQ   $2, AX
	JZ     odd

quad:
	TERM(Y4)
	VADDPD Y4, Y0, Y0
	TERM(Y5)
	VADDPD Y5, Y1, Y1
	TERM(Y6)
	VADDPD Y6, Y2, Y2
	TERM(Y7)
	VADDPD Y7, Y3, Y3
	DECQ   AX
	JNZ    quad

odd:
	MOVQ R9, AX
	ANDQ $3, AX
	JZ   total

term:
	TERM(Y4)
	VADDPD Y4, Y0, Y0
	DECQ   AX
	JNZ    term

total:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	VSUBPD Y0, Y8, Y8

divide:
	VDIVPD  Y15, Y8, Y8
	VMOVUPD Y8, (DI)(R10*8)
	VMULPD  Y8, Y8, Y8
	VMOVUPD (R12)(R10*8), Y4
	VSUBPD  Y8, Y4, Y4
	VMOVUPD Y4, (R12)(R10*8)
	ADDQ    $4, R10
	JMP     lanes

done:
	VZEROUPPER
	RET
