"""Small and middle-sized blocks, of a line that is hardly ever met up to one that is met a hundred times."""
import sys

kept = sys.kept = []


def objects(count, size):
    kept.append([bytes(size) for _ in range(count)])


def work():
    kept.append([bytes(400) for _ in range(500)])  # 0.2 MiB
    kept.append([bytes(1000) for _ in range(1000)])  # 1 MiB
    kept.append([bytes(150) for _ in range(12000)])  # 2 MiB
    kept.append([bytearray(20000) for _ in range(200)])  # 4 MiB
    kept.append([bytearray(200000) for _ in range(40)])  # 8 MiB
    kept.append([bytearray(500000) for _ in range(8)])  # 4 MiB, nearly always met
    kept.append([bytearray(700000) for _ in range(8)])  # 5 MiB, always met
    kept.append([bytearray(3 << 20), [bytes(300) for _ in range(3000)]])  # 4 MiB, a quarter of it by chance
    objects(15000, 1033)  # 15 MiB
    kept.append([{at: str(at)} for at in range(100000)])  # 30 MiB
    for at in range(30):
        kept.append([bytes(900) for _ in range(2000)])  # 54 MiB
        del kept[-1]
    kept[0] = [bytes(800) for _ in range(4000)]  # 3 MiB in the place of 0.2


for _ in range(int(sys.argv[1])):
    work()
