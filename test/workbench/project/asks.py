name = input("Your name? ")
print("Hello, %s." % name, flush=True)
