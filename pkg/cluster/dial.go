package cluster

import (
	"context"
	"fmt"
	"math"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
)

// dialTime is how long a server has to answer. Beam itself waits for two minutes.
const dialTime = 10 * time.Second

// dial connects to a gRPC server, or says that none answers.
func dial(ctx context.Context, endpoint string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(endpoint, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		return nil, fmt.Errorf("cluster: server %q: %w", endpoint, err)
	}
	if err := ready(ctx, conn, func(connectivity.State) bool { return true }); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// ready waits for a connection, as long as its states are worth waiting for.
func ready(ctx context.Context, conn *grpc.ClientConn, wait func(connectivity.State) bool) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !wait(state) || !conn.WaitForStateChange(ctx, state) {
			return fmt.Errorf("cluster: no server answers at %q (%v; it has %v)", conn.Target(), state, dialTime)
		}
	}
	return nil
}

// reachable returns an error if no server answers at the endpoint: at once if the connection is
// refused.
func reachable(ctx context.Context, endpoint string) error {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("cluster: server %q: %w", endpoint, err)
	}
	defer conn.Close()
	return ready(ctx, conn, func(s connectivity.State) bool { return s != connectivity.TransientFailure })
}

// passing runs f while all jobs that are submitted have more pipeline options. Beam's SDK for Go
// has no way to pass those of an engine, but lets others dial.
func passing(more map[string]any, f func() error) error {
	extra, err := structpb.NewStruct(more)
	if err != nil {
		return fmt.Errorf("cluster: field Pipeline: %w", err)
	}
	before := grpcx.Dial
	defer func() { grpcx.Dial = before }()
	grpcx.Dial = func(ctx context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
		return dial(ctx, endpoint,
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
			grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, o ...grpc.CallOption) error {
				if job, ok := req.(*jobpb.PrepareJobRequest); ok {
					for name, value := range extra.GetFields() {
						job.GetPipelineOptions().GetFields()["beam:option:"+name+":v1"] = value
					}
				}
				return call(ctx, method, req, reply, conn, o...)
			}))
	}
	return f()
}
